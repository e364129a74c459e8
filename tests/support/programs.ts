import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { inject } from 'vitest'
import { findNginx } from './nginx.ts'
import { findPgBouncer } from './pgbouncer.ts'
import { findRedis } from './redis.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Programs that a test needs and this machine lacks. The test is skipped (report-run.ts). */
    missing?: Program[]
  }
}

/** Where Debian's packages install Chromium. The one without windows takes half the processor time. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
export const CHROMIUM = CHROMIUMS.find((path) => existsSync(path))

/** A program that Parley runs without, and some tests do not. */
export type Program = keyof typeof IS_PRESENT

const IS_PRESENT = {
  /** Absent from the tests for everyone, which run on the embedded database. */
  PostgreSQL: () => inject('postgres') !== null,
  PgBouncer: () => findPgBouncer() !== undefined,
  Redis: () => findRedis() !== undefined,
  nginx: () => findNginx() !== undefined,
  Chromium: () => CHROMIUM !== undefined,
  /** The right to mount a small file system, which root has. Containers often lack it. */
  mount: () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-mount-'))
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
    if (isMounted) spawnSync('umount', [folder])
    rmdirSync(folder)
    return isMounted
  },
}

/** Returns whether tests can use a program. */
export const isInstalled = (program: Program): boolean =>
  process.env['PARLEY_TEST_WITHOUT_PROGRAMS'] !== '1' && IS_PRESENT[program]()

/** Returns the options of a test or group of tests that is skipped on machines without one of these programs. */
export function needs(...programs: Program[]): { skip: boolean; meta: { missing: Program[] } } {
  const missing = programs.filter((program) => !isInstalled(program))
  return { skip: missing.length > 0, meta: { missing } }
}
