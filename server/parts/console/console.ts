import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Services } from '#platform/services.ts'
import { BUILT_FOLDER, isBuilt } from '../../../console/built-from.ts'
import { type Build, BuildError, startBuild } from './console-build.ts'
import { type ConsoleFiles, readConsoleFiles } from './console-files.ts'

/** Location of the console's sources and of `dist`, and the program that builds it. */
export interface ConsoleSource {
  folder: string
  program: string
}

export type ConsoleState =
  | { is: 'ready'; files: ConsoleFiles }
  | { is: 'building' }
  /** Nothing to serve; `reason` is a line for the operator. */
  | { is: 'missing'; reason: string }

export interface Console {
  /** Starts a build in the background if the built files are outdated (CONSOLE_BUILD). */
  start(): void
  /** Returns what can be served now. Waits at most for the disk, never for a build. */
  state(): Promise<ConsoleState>
  /** Stops a build in progress. */
  stop(): Promise<void>
}

const FOLDER = fileURLToPath(new URL('../../../console', import.meta.url))
const SOURCE: ConsoleSource = { folder: FOLDER, program: join(FOLDER, 'build.ts') }
/** While there is nothing to serve, requests check the folder at most this often. */
const RECHECK_MS = 1_000
const NOT_BUILT = 'It has not been built.'

/** Files are read once and kept in memory, so that a build by another process doesn't affect running requests. */
export function createConsole({ config, log }: Pick<Services, 'config' | 'log'>, source = SOURCE): Console {
  const dist = join(source.folder, BUILT_FOLDER)
  let state: ConsoleState = { is: 'missing', reason: NOT_BUILT }
  let checking: Promise<void> | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let build: Build | undefined
  let isStopped = false

  /** Without CONSOLE_BUILD, serves the given files as they are. */
  async function check(): Promise<void> {
    checkedAt = performance.now()
    try {
      if (config.consoleBuild && !(await isBuilt(source.folder))) return
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

  async function buildIt(): Promise<void> {
    const began = performance.now()
    log.info('building the console')
    build = startBuild(source)
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
    if (is === 'missing' && config.consoleBuild && !isStopped) await buildIt()
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
