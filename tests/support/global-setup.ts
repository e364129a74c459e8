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
    /**
     * The URL of a PostgreSQL server to create databases on, and a migrated template database. Null if tests run on
     * the embedded database.
     */
    postgres: { administration: string; template: string } | null
    /** A folder with data that all test files of this run share (support/embedded.ts). */
    templates: string
  }
}

/**
 * Starts PostgreSQL once for all test files, if they use it (scripts/get-postgres.sh). Creates a template database with the migrations and the job tables, because copying a template takes a
 * tenth of the time of migrating a new database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Vitest calls this function for the root project and for each other project. The values that the root project
  // provides are available in all projects.
  if (!project.isRootProject()) return async () => {}
  if (await isWholeSuite(project)) rmSync(PROVEN_FOLDER, { recursive: true, force: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const templates = mkdtempSync(join(tmpdir(), 'parley-templates-'))
  const remove = () => {
    for (const folder of [dataDir, templates]) rmSync(folder, { recursive: true, force: true })
  }
  project.provide('templates', templates)
  if (!usesPostgres()) {
    project.provide('postgres', null)
    return async () => remove()
  }
  const postgres = await startPostgres({ dataDir })
  await postgres.createDatabase('parley_template')
  const database = await connectDatabase({ databaseUrl: postgres.url('parley_template'), dataDir })
  const jobs = createJobs({ database, sweeps: null, log: pino({ level: 'silent' }) })
  await jobs.start([], 7)
  await jobs.stop()
  await database.close()
  project.provide('postgres', { administration: postgres.url('postgres'), template: 'parley_template' })
  return async () => {
    await postgres.stop()
    remove()
  }
}

/**
 * Returns whether tests run on PostgreSQL. `PARLEY_TEST_DATABASE` is `embedded` or `postgres`. By default, tests use
 * PostgreSQL if it is installed.
 */
function usesPostgres(): boolean {
  const chosen = process.env['PARLEY_TEST_DATABASE']
  if (chosen === 'embedded') return false
  if (findPostgres() !== undefined) return true
  if (chosen === 'postgres')
    throw new Error('PostgreSQL is missing: run scripts/get-postgres.sh .cache/postgres')
  return false
}

/** The projects of the configurations that include all tests of tenants' statements (tests/tiers.ts). Others lack the second. */
const PROJECTS = ['together', 'alone']

/** Returns whether this run includes all tests, without a filter by file, project, shard or name. */
async function isWholeSuite({ vitest }: TestProject): Promise<boolean> {
  if (!PROJECTS.every((name) => vitest.projects.some((project) => project.name === name))) return false
  const all = await vitest.globTestSpecifications()
  const running = new Set(vitest.state.getPaths())
  return !vitest.config.testNamePattern && all.every(({ moduleId }) => running.has(moduleId))
}
