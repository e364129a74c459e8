import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { generate } from 'orval'

/** Generators of TypeScript clients, with their defaults. Each reads an OpenAPI document and writes to a folder. */
export const GENERATORS: Record<string, (document: string, folder: string) => Promise<void>> = {
  async '@hey-api/openapi-ts'(document, folder) {
    await createClient({ input: document, output: folder, logs: { level: 'silent', file: false } })
  },
  async orval(document, folder) {
    const output = { target: join(folder, 'api.ts'), client: 'fetch' as const }
    await generate({ input: { target: document }, output })
  },
  async 'openapi-typescript'(document, folder) {
    const types = await openapiTypeScript(pathToFileURL(document))
    writeFileSync(join(folder, 'api.ts'), astToString(types))
  },
}
