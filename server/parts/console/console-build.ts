import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'

export interface Build {
  /** Resolves when the build has succeeded. Rejects with a BuildError if it fails or is stopped. */
  ended: Promise<void>
  /** Kills the build process, so `ended` rejects. */
  stop(): void
}

/**
 * A build has failed. The message contains the build's output. `reason` is one line of the output, to show on a page.
 */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly reason: string

  constructor(output: string, reason: string) {
    super(output)
    this.reason = reason
  }
}

/** Timeout of a build. A build takes seconds, or minutes on a busy machine because of its low priority. */
const BUILD_MS_MAX = 600_000
const OUTPUT_CHARACTERS_MAX = 8_000
const REASON_CHARACTERS_MAX = 300
const NO_OUTPUT = 'The build failed without an error message.'
const KILLED = `The build was stopped: it took longer than ${BUILD_MS_MAX / 60_000} minutes, or ran out of memory.`

/** Builds the console in `folder` in a separate process with low priority. */
export function startBuild(program: string, folder: string): Build {
  const child = fork(program, [folder], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: BUILD_MS_MAX,
    killSignal: 'SIGKILL',
  })
  yieldToOthers(child.pid)
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) return resolve()
      const reason = signal === null ? (reasonOf(output, folder) ?? NO_OUTPUT) : KILLED
      reject(new BuildError(`The build ended with ${signal ?? code}: ${output}`, reason))
    })
  })
  return { ended, stop: () => child.kill('SIGKILL') }
}

/**
 * Lowers the priority of the build process. Call it before the process starts threads, because they inherit the
 * priority. The lowest priority would starve the build on a machine that is never idle.
 */
function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has already exited, which its 'close' event reports.
  }
}

/** Returns the first meaningful line of the output, with the project's folder replaced by `.`. */
function reasonOf(output: string, folder: string): string | undefined {
  return output
    .replaceAll(dirname(folder), '.')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !/^Build failed/.test(line))
    ?.slice(0, REASON_CHARACTERS_MAX)
}
