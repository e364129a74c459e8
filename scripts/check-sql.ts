import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getConstructionPlans } from 'pg-boss'
import postgres from 'postgres'
import { connectDatabase } from '#database/connect.ts'
import { startPostgres } from '#tests/support/postgres.ts'
import { checkStatements, type Problem } from './check-sql/check.ts'
import { findLostUpdates, jsonColumnsOf } from './check-sql/lost-updates.ts'
import { readStatements } from './check-sql/read-statements.ts'

/*
 * Checks every SQL statement of the server against the schema of the migrations (docs/testing.md): names of tables and
 * columns, the row type of each template, and lost updates. Run it with `npm run sql`. Requires PostgreSQL: scripts/get-postgres.sh
 * .cache/postgres.
 */

/** Files whose statements name tables at run time. Their own tests run these statements. */
const BUILT_AT_RUN_TIME = new Map([
  ['server/platform/secrets/reseal.ts', 'tables and columns are read from the list of encrypted columns'],
  ['server/platform/sweeps/retention.ts', 'each retention rule names its table and column'],
  [
    'server/platform/access/access.ts',
    'tables depend on the kind of the record that determines the organization',
  ],
])

/** The files that declare the tables. */
const SCHEMA = globSync('server/database/schema/*.ts')

/** The schema of pg-boss (platform/jobs). */
const JOBS_SCHEMA = 'jobs'

const files = globSync('server/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const program = readStatements(
  files.map((file) => resolve(file)),
  'tsconfig.json',
)
const problems: Problem[] = [
  ...program.unread.map(({ place, reason }) => ({
    place,
    sentence: `cannot be checked statically: ${reason}`,
  })),
  ...(await onSchema((url) => checkStatements(program, url))),
  ...findLostUpdates(program, jsonColumnsOf(SCHEMA.map((file) => readFileSync(file, 'utf8')))),
].filter(({ place }) => !BUILT_AT_RUN_TIME.has(place.split(':')[0] ?? ''))

for (const { place, sentence } of problems) console.log(`${place}: ${sentence}`)
const places = new Set(program.statements.map(({ place }) => place))
console.log(`${places.size} statements, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0

/** Runs work on a new database with the current schema. */
async function onSchema<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-sql-'))
  const server = await startPostgres({ dataDir })
  try {
    const url = server.url('postgres')
    const database = await connectDatabase({ databaseUrl: url, dataDir })
    await database.close()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    await sql.unsafe(getConstructionPlans(JOBS_SCHEMA)).simple()
    await sql.end()
    return await work(url)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
