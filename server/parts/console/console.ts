import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Services } from '#platform/services.ts'
import { BUILT_FOLDER, isBuilt } from '../../../console/built-from.ts'
import { type Build, BuildError, startBuild } from './console-build.ts'
import { type ConsoleFiles, readConsoleFiles } from './console-files.ts'

export interface ConsoleSource {
  /** The folder with the console's sources and its `dist` folder. */
  folder: string
  /** The script that builds the console. Null in a release, which contains the built console without its sources. */
  program: string | null
}

export type ConsoleState =
  | { is: 'ready'; files: ConsoleFiles }
  | { is: 'building' }
  /** There is nothing to serve. `reason` is one line for the operator. */
  | { is: 'missing'; reason: string }

export interface Console {
  /** With CONSOLE_BUILD, starts a build in the background if the existing build is missing or outdated. */
  start(): void
  /** Returns what can be served now. May wait for the disk, but never for a build. */
  state(): Promise<ConsoleState>
  stop(): Promise<void>
}

const FOLDER = fileURLToPath(new URL('../../../console', import.meta.url))
const PROGRAM = join(FOLDER, 'build.ts')
const SOURCE: ConsoleSource = { folder: FOLDER, program: existsSync(PROGRAM) ? PROGRAM : null }
/** Minimum interval between checks of the `dist` folder while there is nothing to serve. */
const RECHECK_MS = 1_000
const NOT_BUILT = 'It has not been built.'

/**
 * Provides the console's files. Reads them once and keeps them in memory, so that a build by another process doesn't
 * change the files of a running server.
 */
export function createConsole({ config, log }: Pick<Services, 'config' | 'log'>, source = SOURCE): Console {
  const dist = join(source.folder, BUILT_FOLDER)
  const program = config.consoleBuild ? source.program : null
  let state: ConsoleState = { is: 'missing', reason: NOT_BUILT }
  let checking: Promise<void> | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let build: Build | undefined
  let isStopped = false

  /** Loads the built files, if any. Skips outdated files where this server may build the console. */
  async function check(): Promise<void> {
    checkedAt = performance.now()
    try {
      if (program !== null && !(await isBuilt(source.folder))) return
      state = { is: 'ready', files: await readConsoleFiles(dist) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        state = { is: 'missing', reason: (error as Error).message }
    } finally {
      checking = undefined
    }
  }

  async function current(): Promise<ConsoleState> {
    if (state.is === 'missing' && performance.now() - checkedAt > RECHECK_MS) checking ??= check()
    await checking
    return state
  }

  async function buildWith(program: string): Promise<void> {
    const began = performance.now()
    log.info('building the console')
    build = startBuild(program, source.folder)
    state = { is: 'building' }
    try {
      await build.ended
      state = { is: 'ready', files: await readConsoleFiles(dist) }
      log.info({ ms: Math.round(performance.now() - began) }, 'console built')
    } catch (error) {
      if (isStopped) return
      const reason = error instanceof BuildError ? error.reason : (error as Error).message
      state = { is: 'missing', reason }
      log.error({ err: error }, 'the console could not be built')
    }
  }

  async function startOnce(): Promise<void> {
    const { is } = await current()
    if (is === 'missing' && program !== null && !isStopped) await buildWith(program)
  }

  let started: Promise<void> | undefined
  return {
    start() {
      started ??= startOnce()
    },
    state: current,
    async stop() {
      isStopped = true
      build?.stop()
      await started
    },
  }
}
