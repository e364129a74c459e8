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

/** A process that runs the code of one call and then ends. Only a separate process isolates code reliably. */
export interface DenoProcess {
  /** Resolves when the process is ready for its task. Rejects if it ends first. */
  readonly ready: Promise<void>
  /** Resolves when the process has exited and its folder is deleted. Never rejects. */
  readonly ended: Promise<void>
  /** Sets the receivers of messages and of the end. `onMessage` gets `null` for an invalid line. */
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
  /** Files and folders that it may read until the code runs. */
  reads: readonly string[]
  /** Arguments of the program. */
  parameters: readonly string[]
}

/** Limit on writable memory, including reserved memory: V8 alone reserves half a gigabyte for compiled code. */
export const MEMORY_BYTES_MAX = 1_280 * 1024 * 1024
const HEAP_MEGABYTES = 256
/** Processor time over all threads. Ends an endless loop even if the server dies first. */
const PROCESSOR_SECONDS_MAX = 90
/** Maximum output of a process: the requests of one call, its result and printed text. */
const OUTPUT_BYTES_MAX = 32_000_000
const LINE_BYTES_MAX = 2_000_000
/** Maximum bytes on stderr, which only Deno itself can write to. */
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
  // Writing fails only when the process has already ended.
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
    // The process has already ended, or the system does not allow it.
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

/** Passes none of the server's environment, because it contains secrets. */
export const environmentOf = (folder: string): Record<string, string> => ({
  DENO_DIR: folder,
  DENO_NO_PACKAGE_JSON: '1',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
})

/** Returns the command line. `prlimit`, if available, limits memory and processor time. */
export function commandOf({ runtime, runtimes, reads, parameters }: Start): string[] {
  const { deno, prlimit } = runtimes
  const flags = [`--max-old-space-size=${HEAP_MEGABYTES}`, '--max-semi-space-size=8']
  // Python needs no code from strings, and could otherwise use it to reach JavaScript (ctypes).
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

const REFUSED = `data:text/javascript,${encodeURIComponent("throw new Error('Modules cannot be imported in a sandbox.')")}`

/**
 * Blocks imports of files other than the sandbox's own, and of Node's built-in modules. Pyodide itself needs some Node
 * modules, which Python code has no way to import.
 */
function importMapOf(runtime: Runtime, { pyodide }: Runtimes): string {
  const names = runtime === 'python' ? [] : builtinModules.flatMap(spellingsOf)
  const own = FILES_INSIDE.map((name) => pathToFileURL(join(INSIDE, name)).href)
  const folder = pathToFileURL(`${pyodide}/`).href
  return JSON.stringify({
    imports: {
      ...Object.fromEntries(names.map((name) => [name, REFUSED])),
      // Nothing resolves against a data: address, so every import with this prefix fails.
      'file:///': `${REFUSED}//`,
      ...Object.fromEntries(own.map((address) => [address, address])),
      [folder]: folder,
    },
  })
}

const spellingsOf = (name: string): string[] => (name.startsWith('node:') ? [name] : [name, `node:${name}`])
