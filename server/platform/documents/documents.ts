import type { Logger } from 'pino'
import { sentence } from '#errors'
import type { ExtractedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { nameOfType, type StoredFile } from './read-file.ts'
import type { SentPage, WebPage } from './read-web-page.ts'
import { type Reader, startReader } from './reader.ts'

export { DocumentError } from './document-error.ts'
export type { WebPage } from './read-web-page.ts'

/**
 * Extracts text from files. Files are parsed in separate processes, so that a hostile file cannot affect the server
 * process.
 */
export interface Documents {
  /**
   * Returns the text of a stored file whose type `detectType` has determined. Also reads text/html. The text has at
   * most TEXT_CHARACTERS_MAX characters of well-formed Unicode without NUL, with \n line endings.
   *
   * PDF pages are separated by form feeds, DOCX becomes Markdown, and XLSX sheets become `# Name` and CSV. Throws a
   * DocumentError if the text cannot be extracted or is empty.
   */
  extractText(file: StoredFile): Promise<ExtractedText>
  /**
   * Returns the content of a web page. The text is bounded and cleaned as in `extractText`, but may be empty. Throws
   * a DocumentError if the page cannot be read.
   */
  readPage(page: SentPage): Promise<WebPage>
  /**
   * Returns the duration of an audio file in seconds. Returns null if the file doesn't state its duration, or if
   * reading fails or times out.
   */
  durationOf(recording: StoredFile): Promise<number | null>
  /** Ends the reader processes. Running and waiting tasks fail with a DocumentError. */
  close(): Promise<void>
}

const READERS_MAX = 2
const WAITING_MAX = 100
/** Time limit of the wait for a reader, in milliseconds. Reading the file then has its own. */
const WAIT_MS_MAX = 120_000
const CLOCK_MS = 20_000
/** Milliseconds until an idle reader ends. */
const IDLE_MS = 30_000

interface Bounds {
  /** Timeout for reading one file, in milliseconds. */
  clockMs?: number
  /** Milliseconds until an idle reader ends. */
  idleMs?: number
  /** Time limit of the wait for a reader, in milliseconds. */
  waitMs?: number
}

/** Creates the service. No reader starts and no parser loads before the first file. */
export function createDocuments(
  log?: Logger,
  { clockMs = CLOCK_MS, idleMs = IDLE_MS, waitMs = WAIT_MS_MAX }: Bounds = {},
): Documents {
  const turns = new Turns(waitMs)
  const idle: { reader: Reader; end: NodeJS.Timeout }[] = []
  const busy = new Set<Reader>()
  let isClosed = false

  /** Takes the most recently used reader, so that under low load the other reader becomes idle and ends. */
  const takeReader = (): Reader => {
    for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
      clearTimeout(entry.end)
      if (entry.reader.isAlive) return entry.reader
    }
    return startReader({ clockMs })
  }
  const putReader = (reader: Reader): void => {
    if (!reader.isAlive) return
    if (isClosed) return reader.end()
    const end = setTimeout(() => reader.end(), idleMs).unref()
    idle.push({ reader, end })
  }
  const withReader = async <Answer>(
    contentType: string,
    work: (reader: Reader) => Promise<Answer>,
  ): Promise<Answer> => {
    if (isClosed) throw stopping()
    await turns.begin()
    let reader: Reader | undefined
    try {
      reader = takeReader()
      busy.add(reader)
      return await work(reader)
    } catch (error) {
      if (error instanceof DocumentError)
        log?.info(
          { reason: error.cause, type: contentType },
          `a ${nameOfType(contentType)} could not be read: ${error.message}`,
        )
      throw error
    } finally {
      if (reader !== undefined) {
        busy.delete(reader)
        putReader(reader)
      }
      turns.end()
    }
  }

  return {
    extractText: (file) => withReader(file.contentType, (reader) => reader.read(file)),
    readPage: (page) => withReader('text/html', (reader) => reader.read(page)),
    async durationOf({ path, contentType }) {
      try {
        const { seconds } = await withReader(contentType, (reader) => reader.read({ soundPath: path }))
        return seconds
      } catch (error) {
        if (error instanceof DocumentError) return null
        throw error
      }
    },
    async close() {
      isClosed = true
      turns.refuseAll(stopping())
      for (const { reader, end } of idle.splice(0)) {
        clearTimeout(end)
        reader.end()
      }
      for (const reader of busy) reader.end()
    },
  }
}

/** The turns of tasks, of which READERS_MAX run at a time. */
class Turns {
  readonly #waitMs: number
  readonly #waiting = new Set<{ begin(): void; refuse(error: Error): void }>()
  /** Number of tasks that hold one of the READERS_MAX slots. */
  #running = 0

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  async begin(): Promise<void> {
    if (this.#running < READERS_MAX) {
      this.#running++
      return
    }
    if (this.#waiting.size >= WAITING_MAX) throw tooMany()
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>()
    const task = { begin, refuse }
    this.#waiting.add(task)
    const late = setTimeout(() => {
      if (this.#waiting.delete(task)) refuse(tooMany())
    }, this.#waitMs).unref()
    await promise.finally(() => clearTimeout(late))
  }

  /** Lets the next waiting task begin. */
  end(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running--
    else {
      this.#waiting.delete(next)
      next.begin()
    }
  }

  refuseAll(error: Error): void {
    for (const { refuse } of this.#waiting) refuse(error)
    this.#waiting.clear()
  }
}

const tooMany = (): DocumentError => new DocumentError(sentence('document.busy'), { canTryAgain: true })
const stopping = (): DocumentError => new DocumentError(sentence('document.stopping'), { canTryAgain: true })
