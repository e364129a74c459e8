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

/** A process that runs the code of one call and then ends. Only separate processes isolate code reliably. */
export interface DenoProcess {
  /** Resolves when the process is ready for its task. Rejects if the process ends before that. */
  readonly ready: Promise<void>
  /** Resolves when the process has exited and its temporary folder is deleted. Never rejects. */
  readonly ended: Promise<void>
  /**
   * Sets the callbacks for messages and for the end of the process. `onMessage` receives null for an invalid line.
   */
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
  /** Files and folders that the process may read before it runs tenant code. */
  reads: readonly string[]
  /** Command line arguments of the program. */
  parameters: readonly string[]
}

/**
 * Limit on writable memory, including memory that is only reserved. V8 alone reserves half a gigabyte for compiled
 * code.
 */
export const MEMORY_BYTES_MAX = 1_280 * 1024 * 1024
const HEAP_MEGABYTES = 256
/** Limit on processor time across all threads. Ends an endless loop even if the server has died. */
const PROCESSOR_SECONDS_MAX = 90
/** Maximum output of a process: the requests of its call, the result and the printed text. */
const OUTPUT_BYTES_MAX = 32_000_000
const LINE_BYTES_MAX = 2_000_000
/** Maximum output on stderr, which only Deno itself can write to. */
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
      message?.kind === 'ready'
        ? resolve()
        : reject(new Error("The sandbox's first message was not `ready`."))
    onEnd = () => reject(new Error(`The sandbox did not start: ${errors.slice(-ERRORS_BYTES_KEPT)}`))
  })
  ready.catch(() => {})
  readLines(child, (line) => onMessage(readMessage(line)), flood)
  let errorBytes = 0
  child.stderr.on('data', (bytes: Buffer) => {
    errorBytes += bytes.length
    if (errorBytes > ERRORS_BYTES_MAX) flood()
    else errors = (errors + bytes.toString('latin1')).slice(-ERRORS_BYTES_KEPT)
  })
  // Writing fails only if the process has already ended.
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

/** Lowers the priority of the process, so that the server stays responsive. */
function yieldToServer({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has already ended, or the operating system does not allow the change.
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

/** Contains none of the server's environment variables, because some are secrets. */
export const environmentOf = (folder: string): Record<string, string> => ({
  DENO_DIR: folder,
  DENO_NO_PACKAGE_JSON: '1',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
})

/** Returns the command line of the process. If `prlimit` is installed, it limits memory and processor time. */
export function commandOf({ runtime, runtimes, reads, parameters }: Start): string[] {
  const { deno, prlimit } = runtimes
  const flags = [`--max-old-space-size=${HEAP_MEGABYTES}`, '--max-semi-space-size=8']
  // Python code does not need to evaluate JavaScript strings, and could otherwise do so through ctypes.
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

const REFUSED = `data:text/javascript,${encodeURIComponent("throw new Error('The sandbox cannot import modules. Put all code into the tool.')")}`

/**
 * Returns an import map that blocks Node's built-in modules and all files except the sandbox's own. Pyodide needs
 * some Node modules, so they stay allowed for Python, whose code cannot import them.
 */
function importMapOf(runtime: Runtime, { pyodide }: Runtimes): string {
  const names = runtime === 'python' ? [] : builtinModules.flatMap(spellingsOf)
  const own = FILES_INSIDE.map((name) => pathToFileURL(join(INSIDE, name)).href)
  const folder = pathToFileURL(`${pyodide}/`).href
  return JSON.stringify({
    imports: {
      ...Object.fromEntries(names.map((name) => [name, REFUSED])),
      // Imports with this prefix always fail, because no path resolves against a data: URL.
      'file:///': `${REFUSED}//`,
      ...Object.fromEntries(own.map((address) => [address, address])),
      [folder]: folder,
    },
  })
}

const spellingsOf = (name: string): string[] => (name.startsWith('node:') ? [name] : [name, `node:${name}`])
