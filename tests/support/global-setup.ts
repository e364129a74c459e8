import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connectDatabase } from '#database/connect.ts'
import { findPostgres, startPostgres } from './postgres.ts'

/** Where a data folder has the embedded database (server: database, embedded). */
export const EMBEDDED_FOLDER = 'postgres'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A PostgreSQL server to make databases in, and a migrated one to copy; null: tests run on the embedded one. */
    postgres: { administration: string; template: string } | null
    /** The folder of a migrated embedded database, to be copied; null where there is a PostgreSQL. */
    embedded: string | null
  }
}

/**
 * Starts PostgreSQL once for all test files, where there is one (scripts/get-postgres.sh). CI must have it. A database that
 * is migrated already is copied in a tenth of the time that a new one takes, also where it is the embedded one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  if (findPostgres() === undefined) {
    if (process.env['CI'])
      throw new Error('PostgreSQL is missing: run scripts/get-postgres.sh .cache/postgres')
    await migrate(null, dataDir)
    project.provide('postgres', null)
    project.provide('embedded', join(dataDir, EMBEDDED_FOLDER))
    return async () => remove()
  }
  const postgres = await startPostgres({ dataDir })
  await postgres.createDatabase('parley_template')
  await migrate(postgres.url('parley_template'), dataDir)
  project.provide('postgres', { administration: postgres.url('postgres'), template: 'parley_template' })
  project.provide('embedded', null)
  return async () => {
    await postgres.stop()
    remove()
  }
}

async function migrate(databaseUrl: string | null, dataDir: string): Promise<void> {
  const database = await connectDatabase({ databaseUrl, dataDir })
  await database.close()
}
