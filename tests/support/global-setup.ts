import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { connectDatabase } from '#database/connect.ts'
import { createJobs } from '#platform/jobs/jobs.ts'
import { PROVEN_FOLDER } from '../tenancy/proven-folder.ts'
import { findPostgres, startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A PostgreSQL server to make databases in, and a migrated one to copy; null: tests run on the embedded one. */
    postgres: { administration: string; template: string } | null
    /** A folder for what the test files of this run share (support/embedded.ts). */
    templates: string
  }
}

/**
 * Starts PostgreSQL once for all test files, where there is one (scripts/get-postgres.sh). CI must have it. A database that
 * is migrated already, and has the tables of the jobs, is copied in a tenth of the time that a new one takes.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Vitest calls this for the root and for each project; what the root provides reaches all.
  if (!project.isRootProject()) return async () => {}
  if (await isWholeSuite(project)) rmSync(PROVEN_FOLDER, { recursive: true, force: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const templates = mkdtempSync(join(tmpdir(), 'parley-templates-'))
  const remove = () => {
    for (const folder of [dataDir, templates]) rmSync(folder, { recursive: true, force: true })
  }
  project.provide('templates', templates)
  if (findPostgres() === undefined) {
    if (process.env['CI'])
      throw new Error('PostgreSQL is missing: run scripts/get-postgres.sh .cache/postgres')
    project.provide('postgres', null)
    return async () => remove()
  }
  const postgres = await startPostgres({ dataDir })
  await postgres.createDatabase('parley_template')
  const database = await connectDatabase({ databaseUrl: postgres.url('parley_template'), dataDir })
  const jobs = createJobs(database, pino({ level: 'silent' }))
  await jobs.start([])
  await jobs.stop()
  await database.close()
  project.provide('postgres', { administration: postgres.url('postgres'), template: 'parley_template' })
  return async () => {
    await postgres.stop()
    remove()
  }
}

/** The projects of vitest.config.ts; other configurations have none. */
const PROJECTS = ['together', 'alone']

/** Whether every test of `npm test` runs: no file, project, shard or name is left out. */
async function isWholeSuite({ vitest }: TestProject): Promise<boolean> {
  if (!PROJECTS.every((name) => vitest.projects.some((project) => project.name === name))) return false
  const all = await vitest.globTestSpecifications()
  const running = new Set(vitest.state.getPaths())
  return !vitest.config.testNamePattern && all.every(({ moduleId }) => running.has(moduleId))
}
