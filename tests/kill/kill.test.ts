import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase } from '#tests/support/server.ts'
import { type Battlefield, killAndCheck, onEmbedded, onPostgres } from './kill-server.ts'

/** `npm run test:kill`: a hundred kills, half on the embedded database, half on PostgreSQL if it is installed. */

const KILLS_EACH = 50
const seeds = Array.from({ length: KILLS_EACH }, (_, index) => 1_000 + index)
const dataDir = mkdtempSync(join(tmpdir(), 'parley-kill-'))
let provider: Awaited<ReturnType<typeof startProvider>>
let database: Awaited<ReturnType<typeof createDatabase>>
let first: Battlefield
let embedded: Battlefield

beforeAll(async () => {
  provider = await startProvider()
  database = await createDatabase()
  const folder = join(dataDir, 'first')
  first = database ? onPostgres(database.url, provider, folder) : onEmbedded(provider, folder)
  embedded = onEmbedded(provider, join(dataDir, 'embedded'))
})
afterAll(async () => {
  await first.server?.stop()
  await embedded.server?.stop()
  await database?.drop()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('on PostgreSQL, or on the embedded database without PostgreSQL', () => {
  test.each(seeds)('kill %i', async (seed) => {
    expect.hasAssertions()
    await killAndCheck(first, seed)
  })
})

describe('on the embedded database', () => {
  test.each(seeds)('kill %i', async (seed) => {
    expect.hasAssertions()
    await killAndCheck(embedded, seed + KILLS_EACH)
  })
})
