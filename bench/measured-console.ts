import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { endBrowser } from '../tests/support/browser.ts'
import { type ConsoleStage, startConsoleStage } from '../tests/support/console-stage.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { POSTGRES_SETTINGS } from './parley.ts'

/** Starts the console on its own PostgreSQL, whose tables can be filled directly. */
export async function startMeasuredConsole(): Promise<{
  stage: ConsoleStage
  sql: Sql
  stop(): Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  mkdirSync(join(folder, 'postgres'))
  const database = await startPostgres({ dataDir: join(folder, 'postgres'), settings: POSTGRES_SETTINGS })
  await database.createDatabase('parley')
  const url = database.url('parley')
  const stage = await startConsoleStage({ DATABASE_URL: url, SECRET: 'of-a-measurement-and-nothing-else-0' })
  const sql = postgres(url, { onnotice() {} })
  return {
    stage,
    sql,
    async stop() {
      await stage.stop()
      await endBrowser()
      await sql.end()
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
