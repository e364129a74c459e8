import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase } from '#tests/support/server.ts'
import { type Battlefield, killAndCheck, onEmbedded, onPostgres } from '../kill/kill-server.ts'

/** A sample of `npm run test:kill`, which runs a hundred kills. */

const KILLS = 5
// Each test starts a server, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })
const dataDir = mkdtempSync(join(tmpdir(), 'parley-kill-'))
let provider: Awaited<ReturnType<typeof startProvider>>
let database: Awaited<ReturnType<typeof createDatabase>>
let field: Battlefield

beforeAll(async () => {
  provider = await startProvider()
  database = await createDatabase()
  field = database ? onPostgres(database.url, provider, dataDir) : onEmbedded(provider, dataDir)
})
afterAll(async () => {
  await field.server?.stop()
  await database?.drop()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test.each(Array.from({ length: KILLS }, (_, index) => index + 1))('kill %i', async (seed) => {
  expect.hasAssertions()
  await killAndCheck(field, seed)
})
