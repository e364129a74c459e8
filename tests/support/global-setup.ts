import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connectDatabase } from '#database/connect.ts'
import { findPostgres, startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A PostgreSQL server to make databases in, and a migrated one to copy; null: tests run on the embedded one. */
    postgres: { administration: string; template: string } | null
  }
}

/** Starts PostgreSQL once for all test files, where there is one (scripts/get-postgres.sh). CI must have it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (findPostgres() === undefined) {
    if (process.env['CI'])
      throw new Error('PostgreSQL is missing: run scripts/get-postgres.sh .cache/postgres')
    project.provide('postgres', null)
    return async () => {}
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const postgres = await startPostgres({ dataDir })
  await postgres.createDatabase('parley_template')
  const template = await connectDatabase({ databaseUrl: postgres.url('parley_template'), dataDir })
  await template.close()
  project.provide('postgres', { administration: postgres.url('postgres'), template: 'parley_template' })
  return async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
