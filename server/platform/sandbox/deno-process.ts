import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { commandOf, environmentOf, type Start } from './deno-command.ts'
import type { Answer, Fork, Message, Task } from './messages.ts'
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
  send(message: Task | Answer | Fork): void
  end(): void
}

export interface Ending {
  isMemory: boolean
  isFlood: boolean
}

/** Maximum output of a process: the requests of its call, the result and the printed text. */
const OUTPUT_BYTES_MAX = 32_000_000
const LINE_BYTES_MAX = 2_000_000
/** Maximum output on stderr, which only Deno itself can write to. */
const ERRORS_BYTES_MAX = 1_000_000
const ERRORS_BYTES_KEPT = 8_000
const LINE_FEED = 10

/** Starts Deno in `folder`, which is deleted when the process has exited. */
export function startDenoProcess(start: Start, folder = makeFolder()): DenoProcess {
  const [command = '', ...values] = commandOf(start)
  const child = spawn(command, values, {
    cwd: folder,
    env: environmentOf(folder),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // An interpreter serves no call itself, but all calls in Python wait for its start. Its copies lower their priority.
  if (!start.forks) yieldToServer(child)
  const exited = new Promise<string>((resolve) => {
    let failure = ''
    const finish = (): void => {
      rm(folder, { recursive: true, force: true, maxRetries: 3 }).then(
        () => resolve(failure),
        () => resolve(failure),
      )
    }
    child.once('close', finish)
    child.once('error', (error) => {
      failure = error.message
      if (child.pid === undefined) finish()
    })
  })
  const { stdin: input, stdout: output, stderr: errors } = child
  return openProcess({ input, output, errors, exited, kill: () => void child.kill('SIGKILL') })
}

/** Creates an empty folder for a process. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'parley-sandbox-'))

/** The streams of a running process, and how to end it. */
export interface Channel {
  input: Writable
  output: Readable
  errors: Readable
  kill(): void
  /** Resolves when the process has exited, with a message if it could not start. */
  exited: Promise<string>
}

export function openProcess({ input, output, errors, kill, exited }: Channel): DenoProcess {
  let onMessage: (message: Message | null) => void = () => {}
  let onEnd: (ending: Ending) => void = () => {}
  let isFlood = false
  let errorText = ''
  let errorBytes = 0
  const flood = (): void => {
    isFlood = true
    kill()
  }
  const ready = new Promise<void>((resolve, reject) => {
    onMessage = (message) =>
      message?.kind === 'ready'
        ? resolve()
        : reject(new Error("The sandbox's first message was not `ready`."))
    onEnd = () => reject(new Error(`The sandbox did not start: ${errorText}`))
  })
  ready.catch(() => {})
  readLines(output, (line) => onMessage(readMessage(line)), flood)
  errors.on('data', (bytes: Buffer) => {
    errorBytes += bytes.length
    if (errorBytes > ERRORS_BYTES_MAX) flood()
    else errorText = (errorText + bytes.toString('latin1')).slice(-ERRORS_BYTES_KEPT)
  })
  // Writing and reading fail only if the process has ended, perhaps before it has read everything.
  for (const stream of [input, output, errors]) stream.on('error', () => {})
  const ended = exited.then((failure) => {
    errorText += failure
    onEnd({ isMemory: /out of memory|memory allocation of \d+ bytes failed/i.test(errorText), isFlood })
  })
  return {
    ready,
    ended,
    follow(toMessage, toEnd) {
      onMessage = toMessage
      onEnd = toEnd
    },
    send: (message) => void input.write(`${JSON.stringify(message)}\n`),
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

function readLines(output: Readable, onLine: (line: string) => void, flood: () => void): void {
  let pieces: Buffer[] = []
  let lineBytes = 0
  let bytes = 0
  output.on('data', (chunk: Buffer) => {
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
