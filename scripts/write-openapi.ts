import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#config'
import { startServer } from '../server/main.ts'

/** Writes openapi.json as the server answers it. `npm run openapi`. */
const dataDir = mkdtempSync(join(tmpdir(), 'parley-openapi-'))
const server = await startServer(readConfig({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
const document = await (await fetch(`${server.address}/openapi.json`)).json()
writeFileSync(join(import.meta.dirname, '../openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
