import type { Logger } from 'pino'
import { sentence } from '#errors'
import type { ExtractedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { nameOfType, type StoredFile } from './read-file.ts'
import type { SentPage, WebPage } from './read-web-page.ts'
import { type Reader, startReader } from './reader.ts'

export { DocumentError } from './document-error.ts'
export type { WebPage } from './read-web-page.ts'

/** What files say. Files are read in processes of their own, so that nothing that they hold reaches this one. */
export interface Documents {
  /**
   * The text of a stored file whose type `detectType` has told: at most TEXT_CHARACTERS_MAX characters, well-formed
   * Unicode without NUL, lines ended by \n. The pages of a PDF are parted by form feeds, DOCX is Markdown, the sheets
   * of an XLSX are `# Name` and CSV; text/html is read too. Throws a DocumentError, with one sentence for the person, if there is none to have.
   */
  extractText(file: StoredFile): Promise<ExtractedText>
  /**
   * What a page of a website says, its text with the same promises; it may be ''. Throws a DocumentError if it can't be
   * read.
   */
  readPage(page: SentPage): Promise<WebPage>
  /**
   * How many seconds a recording lasts; null where it does not tell, or where reading it fails or takes too long.
   */
  durationOf(recording: StoredFile): Promise<number | null>
  /** Ends the readers. What they were reading, and what waits, fails with a DocumentError. */
  close(): Promise<void>
}

const READERS_MAX = 2
const WAITING_MAX = 100
const CLOCK_MS = 20_000
/** A reader that had nothing to do for this long is ended. */
const IDLE_MS = 30_000

interface Bounds {
  /** Milliseconds that reading one file may take. */
  clockMs?: number
  /** Milliseconds without work after which a reader is ended. */
  idleMs?: number
}

/** Nothing is started or loaded before the first file comes. */
export function createDocuments(
  log?: Logger,
  { clockMs = CLOCK_MS, idleMs = IDLE_MS }: Bounds = {},
): Documents {
  const waiting: { begin(): void; refuse(error: Error): void }[] = []
  const idle: { reader: Reader; end: NodeJS.Timeout }[] = []
  const busy = new Set<Reader>()
  let isClosed = false

  /** The reader that worked last, so that the other one can be ended when there is little to do. */
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
  const turn = async (): Promise<void> => {
    if (isClosed) throw stopping()
    if (running < READERS_MAX) {
      running++
      return
    }
    if (waiting.length >= WAITING_MAX)
      throw new DocumentError(sentence('document.busy'), { canTryAgain: true })
    await new Promise<void>((begin, refuse) => waiting.push({ begin, refuse }))
  }
  /** Hands the turn on; `running` counts turns. */
  const endTurn = (): void => {
    const next = waiting.shift()
    if (next === undefined) running--
    else next.begin()
  }
  let running = 0

  const withReader = async <Answer>(
    contentType: string,
    work: (reader: Reader) => Promise<Answer>,
  ): Promise<Answer> => {
    await turn()
    let reader: Reader | undefined
    try {
      reader = takeReader()
      busy.add(reader)
      return await work(reader)
    } catch (error) {
      if (error instanceof DocumentError)
        log?.info(
          { reason: error.cause, type: contentType },
          `a ${nameOfType(contentType)} was not read: ${error.message}`,
        )
      throw error
    } finally {
      if (reader !== undefined) {
        busy.delete(reader)
        putReader(reader)
      }
      endTurn()
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
      for (const { refuse } of waiting.splice(0)) refuse(stopping())
      for (const { reader, end } of idle.splice(0)) {
        clearTimeout(end)
        reader.end()
      }
      for (const reader of busy) reader.end()
    },
  }
}

const stopping = (): DocumentError => new DocumentError(sentence('document.stopping'), { canTryAgain: true })
