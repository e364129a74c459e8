import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sql } from 'postgres'

/** The folder of this version's migrations. */
export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/** The migrations of a database beside those of this version of the program. */
export interface SchemaState {
  /** The times of the applied migrations, which identify them in the journal. */
  applied: number[]
  /** The number of migrations of this version that the database lacks. */
  missing: number
  /** True if the database has a migration that this version does not know. It belongs to a newer version. */
  isNewer: boolean
}

/** Compares a database's migrations with those of this version. An empty database has none. */
export async function readSchemaState(sql: Sql): Promise<SchemaState> {
  const [found] = await sql<{ exists: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists`
  if (!found?.exists) return compareMigrations([])
  const rows = await sql<{ time: number | null }[]>`
    select created_at::float8 as time from drizzle.__drizzle_migrations order by created_at`
  return compareMigrations(rows.map(({ time }) => Number(time)))
}

export function compareMigrations(applied: number[]): SchemaState {
  const known = readMigrationTimes()
  return {
    applied,
    missing: known.filter((time) => !applied.includes(time)).length,
    isNewer: applied.some((time) => !known.includes(time)),
  }
}

function readMigrationTimes(): number[] {
  const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8'))
  return (journal as { entries: { when: number }[] }).entries.map(({ when }) => when)
}
