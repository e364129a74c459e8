import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Runtimes } from './find-deno.ts'
import type { Answer, Message, Task } from './messages.ts'
import { readMessage } from './read-message.ts'

/** A process that runs the code of one call, and then ends: only a process is a boundary that holds. */
export interface DenoProcess {
  /** It waits for its task. Rejects where it ends before. */
  readonly ready: Promise<void>
  /** It is gone, and so is its folder. Never rejects. */
  readonly ended: Promise<void>
  /** From now on its messages go there; `null` is a line that is none. `onEnd` is told what it said as it ended. */
  follow(onMessage: (message: Message | null) => void, onEnd: (ending: Ending) => void): void
  send(message: Task | Answer): void
  end(): void
}

export interface Ending {
  isMemory: boolean
  isFlood: boolean
}

export type Runtime = 'javascript' | 'python'

export interface Start {
  runtime: Runtime
  runtimes: Runtimes
  /** What it may read until the code runs: files and folders. */
  reads: readonly string[]
  /** What the program is started with. */
  parameters: readonly string[]
}

/** All writable memory, reserved or not: V8 reserves half a gigabyte of it for code that it may compile. */
export const MEMORY_BYTES_MAX = 1_280 * 1024 * 1024
const HEAP_MEGABYTES = 256
/** Of processor time, all threads together: an endless loop ends also where the server was killed before. */
const PROCESSOR_SECONDS_MAX = 90
/** All that a process may say: the requests of one call, its result, and what it prints. */
const OUTPUT_BYTES_MAX = 32_000_000
const LINE_BYTES_MAX = 2_000_000
/** Deno itself has little to say there; the code can't reach it. */
const ERRORS_BYTES_MAX = 1_000_000
const ERRORS_BYTES_KEPT = 8_000
const LINE_FEED = 10

const INSIDE = fileURLToPath(new URL('./inside/', import.meta.url))
export const PROGRAMS: Record<Runtime, string> = {
  javascript: join(INSIDE, 'run-javascript.ts'),
  python: join(INSIDE, 'run-python.ts'),
}
const FILES_INSIDE = ['run-javascript.ts', 'run-python.ts', 'pipe.ts', 'strip-realm.ts', 'read-parameters.ts']

export function startDenoProcess(start: Start): DenoProcess {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sandbox-'))
  const [command = '', ...values] = commandOf(start)
  const child = spawn(command, values, {
    cwd: folder,
    env: environmentOf(folder),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  yieldToServer(child)
  let onMessage: (message: Message | null) => void = () => {}
  let onEnd: (ending: Ending) => void = () => {}
  let isFlood = false
  let errors = ''
  const kill = (): void => void child.kill('SIGKILL')
  const flood = (): void => {
    isFlood = true
    kill()
  }
  const ready = new Promise<void>((resolve, reject) => {
    onMessage = (message) =>
      message?.kind === 'ready' ? resolve() : reject(new Error('It began with something else.'))
    onEnd = () => reject(new Error(`A sandbox did not start: ${errors.slice(-ERRORS_BYTES_KEPT)}`))
  })
  ready.catch(() => {})
  readLines(child, (line) => onMessage(readMessage(line)), flood)
  let errorBytes = 0
  child.stderr.on('data', (bytes: Buffer) => {
    errorBytes += bytes.length
    if (errorBytes > ERRORS_BYTES_MAX) flood()
    else errors = (errors + bytes.toString('latin1')).slice(-ERRORS_BYTES_KEPT)
  })
  // What can not be written any more was for a process that is gone.
  child.stdin.on('error', () => {})
  const ended = new Promise<void>((resolve) => {
    const finish = (): void => {
      onEnd({ isMemory: /out of memory|memory allocation of \d+ bytes failed/i.test(errors), isFlood })
      rm(folder, { recursive: true, force: true, maxRetries: 3 }).then(resolve, () => resolve())
    }
    child.once('close', finish)
    child.once('error', (error) => {
      errors += error.message
      if (child.pid === undefined) finish()
    })
  })
  return {
    ready,
    ended,
    follow(toMessage, toEnd) {
      onMessage = toMessage
      onEnd = toEnd
    },
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    end: kill,
  }
}

/** The server answers others while code runs: its threads go first. */
function yieldToServer({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

function readLines(child: ChildProcess, onLine: (line: string) => void, flood: () => void): void {
  let pieces: Buffer[] = []
  let lineBytes = 0
  let bytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > OUTPUT_BYTES_MAX) return flood()
    let begin = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, begin)) {
      onLine(Buffer.concat([...pieces, chunk.subarray(begin, end)]).toString('utf8'))
      pieces = []
      lineBytes = 0
      begin = end + 1
    }
    lineBytes += chunk.length - begin
    if (lineBytes > LINE_BYTES_MAX) return flood()
    if (begin < chunk.length) pieces.push(chunk.subarray(begin))
  })
}

/** Nothing of the server's environment: it holds secrets. */
export const environmentOf = (folder: string): Record<string, string> => ({
  DENO_DIR: folder,
  DENO_NO_PACKAGE_JSON: '1',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
})

/** The command line, bounded in memory and processor time by the system where it can. */
export function commandOf({ runtime, runtimes, reads, parameters }: Start): string[] {
  const { deno, prlimit } = runtimes
  const flags = [`--max-old-space-size=${HEAP_MEGABYTES}`, '--max-semi-space-size=8']
  // Python needs no code from strings, and could reach the JavaScript around it that way (ctypes).
  if (runtime === 'python') flags.push('--disallow-code-generation-from-strings')
  return [
    ...(prlimit === null
      ? []
      : [prlimit, `--data=${MEMORY_BYTES_MAX}`, `--cpu=${PROCESSOR_SECONDS_MAX}`, '--core=0', '--']),
    deno,
    'run',
    ...[
      '--no-prompt',
      '--no-remote',
      '--no-npm',
      '--no-config',
      '--no-lock',
      '--no-code-cache',
      '--no-check',
      '--quiet',
    ],
    `--v8-flags=${flags.join(',')}`,
    `--import-map=data:application/json,${encodeURIComponent(importMapOf(runtime, runtimes))}`,
    ...(reads.length === 0 ? [] : [`--allow-read=${reads.join(',')}`]),
    PROGRAMS[runtime],
    ...parameters,
  ]
}

const REFUSED = `data:text/javascript,${encodeURIComponent("throw new Error('Modules can not be imported in a sandbox.')")}`

/**
 * Files are no modules there, but for those that the sandbox consists of, nor are Node's own modules. Pyodide loads some of
 * these; Python has no way to import any.
 */
function importMapOf(runtime: Runtime, { pyodide }: Runtimes): string {
  const names = runtime === 'python' ? [] : builtinModules.flatMap(spellingsOf)
  const own = FILES_INSIDE.map((name) => pathToFileURL(join(INSIDE, name)).href)
  const folder = pathToFileURL(`${pyodide}/`).href
  return JSON.stringify({
    imports: {
      ...Object.fromEntries(names.map((name) => [name, REFUSED])),
      // What follows a prefix can't be resolved against such an address, so nothing is found there.
      'file:///': `${REFUSED}//`,
      ...Object.fromEntries(own.map((address) => [address, address])),
      [folder]: folder,
    },
  })
}

const spellingsOf = (name: string): string[] => (name.startsWith('node:') ? [name] : [name, `node:${name}`])
