import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sentence } from '#errors'
import type { ExtractedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { nameOfType, type StoredFile } from './read-file.ts'
import type { SentPage, WebPage } from './read-web-page.ts'

/** An audio file whose duration is requested. */
export interface Sound {
  soundPath: string
}

/** `seconds` is null if the audio file doesn't state its duration. */
export interface ExtractedDuration {
  seconds: number | null
}

export type ReaderTask = StoredFile | SentPage | Sound

/**
 * The response of a reader process: the extracted data, or why extraction failed. `refusal` is an error message for
 * the user. It is null for an unexpected failure.
 */
export type ReaderAnswer =
  | ExtractedText
  | WebPage
  | ExtractedDuration
  | { refusal: string | null; reason: string }

/**
 * A process that reads files, one at a time. A thread would not suffice: V8 ends the whole process when an array or a
 * map exceeds a thread's heap, and a thread's memory outside the heap is not limited.
 */
export interface Reader {
  /** False once the process has ended: by a crash, by a timeout or by `end`. */
  readonly isAlive: boolean
  /**
   * Returns the content of a file or page, or the duration of an audio file. Throws a DocumentError, or an Error if
   * the file cannot be opened. A failure affects only this task, and at most ends this reader.
   */
  read(file: StoredFile): Promise<ExtractedText>
  read(page: SentPage): Promise<WebPage>
  read(sound: Sound): Promise<ExtractedDuration>
  end(): void
}

export interface ReaderBounds {
  /** Timeout for one file, in milliseconds. The reader is killed after the timeout. */
  clockMs: number
}

/** Heap limit of one reader. */
const HEAP_MEGABYTES = 256
const YOUNG_HEAP_MEGABYTES = 32
/**
 * Total memory limit of one reader. Enforced only on Linux, which reports memory use in /proc; other systems rely on
 * the timeout.
 */
const MEMORY_BYTES_MAX = 768 * 1024 * 1024
const MEMORY_CHECK_MS = 100

const PROGRAM = fileURLToPath(new URL('./reader-main.ts', import.meta.url))
const ARGUMENTS = [
  `--max-old-space-size=${HEAP_MEGABYTES}`,
  `--max-semi-space-size=${YOUNG_HEAP_MEGABYTES / 2}`,
  // The process parses hostile files, so it may only read files: no writing, subprocesses, threads or eval.
  '--permission',
  '--allow-fs-read=*',
  '--disallow-code-generation-from-strings',
]

export function startReader({ clockMs }: ReaderBounds): Reader {
  const child = fork(PROGRAM, {
    execArgv: ARGUMENTS,
    // Pass no environment variables, because the server's variables contain secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  let isAlive = true
  let settle: ((answer: ReaderAnswer | Death) => void) | undefined
  const die = (death: Death): void => {
    isAlive = false
    child.kill('SIGKILL')
    settle?.(death)
  }
  child.on('message', (answer: ReaderAnswer) => settle?.(answer))
  child.once('error', (error) => die({ death: 'failed', cause: error }))
  // If memory runs out, V8 or the operating system ends the process with a signal.
  child.once('exit', (_code, signal) => die({ death: signal === null ? 'ended' : 'memory' }))
  holdProcess(child, false)

  return {
    get isAlive() {
      return isAlive
    },
    // The overloads of `read` determine the type of the response.
    async read(task: ReaderTask): Promise<WebPage & ExtractedDuration> {
      const answered = new Promise<ReaderAnswer | Death>((resolve) => {
        settle = resolve
      })
      const clock = setTimeout(() => die({ death: 'clock' }), clockMs)
      const guard = setInterval(() => checkMemory(child, die), MEMORY_CHECK_MS)
      holdProcess(child, true)
      child.send(task, (error) => {
        if (error !== null) die({ death: 'failed', cause: error })
      })
      const answer = await answered
      settle = undefined
      clearTimeout(clock)
      clearInterval(guard)
      holdProcess(child, false)
      return judge(answer, nameOfTask(task), clockMs) as WebPage & ExtractedDuration
    },
    end: () => die({ death: 'stopped' }),
  }
}

type Death = { death: 'clock' | 'memory' | 'ended' | 'stopped' } | { death: 'failed'; cause: Error }

/** Keeps the server process running while a reader is busy, and lets it exit while the reader is idle. */
function holdProcess(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

/**
 * Calls `die` if the process exceeds its memory limit. Reads resident memory, in kilobytes, from /proc/PID/status.
 */
function checkMemory(child: ChildProcess, die: (death: Death) => void): void {
  readFile(`/proc/${child.pid}/status`, 'latin1').then(
    (status) => {
      const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
      if (Number(kilobytes) * 1024 > MEMORY_BYTES_MAX) die({ death: 'memory' })
    },
    () => {},
  )
}

function nameOfTask(task: ReaderTask): string {
  if ('path' in task) return nameOfType(task.contentType)
  return 'soundPath' in task ? 'recording' : 'page'
}

function judge(
  answer: ReaderAnswer | Death,
  what: string,
  clockMs: number,
): Exclude<ReaderAnswer, { refusal: unknown }> {
  if ('text' in answer || 'seconds' in answer) return answer
  if ('refusal' in answer) {
    if (answer.refusal === null) throw new Error(`A reader failed: ${answer.reason}`)
    throw new DocumentError(answer.refusal, { cause: answer.reason })
  }
  switch (answer.death) {
    case 'clock':
      throw new DocumentError(sentence('document.timeout', { kind: what, seconds: clockMs / 1000 }))
    case 'stopped':
      throw new DocumentError(sentence('document.stopping'), { canTryAgain: true })
    case 'failed':
      throw new Error('A document reader could not be started', { cause: answer.cause })
    case 'ended':
      throw new DocumentError(sentence('document.damaged', { kind: what }))
    case 'memory':
      throw new DocumentError(sentence('document.memory', { kind: what }))
  }
}
