import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase } from '#tests/support/server.ts'
import { startWebsite } from '#tests/support/website.ts'
import { killIngestion } from '../kill/kill-ingestion.ts'
import { onPostgres } from '../kill/kill-server.ts'

/** A sample of `npm run test:kill`, which kills the server twenty times during ingestion. */

const KILLS = 2
const dataDir = mkdtempSync(join(tmpdir(), 'parley-kill-'))
const provider = await startProvider()
const website = await startWebsite()
const database = await createDatabase()
const field = database && {
  ...onPostgres(database.url, provider, dataDir),
  databaseUrl: database.url,
  website,
}
afterAll(async () => {
  await field?.server?.stop()
  await database?.drop()
  await provider.close()
  await website.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test.each(Array.from({ length: KILLS }, (_, at) => at + 1))('kill %i', needs('PostgreSQL'), async (seed) => {
  expect.hasAssertions()
  if (field) await killIngestion(field, seed)
})
