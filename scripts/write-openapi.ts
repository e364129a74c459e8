import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#config'
import { startServer } from '../server/main.ts'

/** `npm run openapi`: writes the server's OpenAPI document to openapi.json. */
const dataDir = mkdtempSync(join(tmpdir(), 'parley-openapi-'))
const server = await startServer(readConfig({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
const document = await (await fetch(`${server.address}/openapi.json`)).json()
writeFileSync(join(import.meta.dirname, '../openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
