import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { AppError, fail, sentence } from '#errors'
import { parseJsonBody } from '#platform/http/json-body.ts'

/** Maximum number of entries. Limited because their names are kept in memory. @limit entries of an imported archive */
const ENTRIES_MAX = 50_000
/** Maximum total size after decompression, in bytes. @limit uncompressed imported archive */
const UNPACKED_BYTES_MAX = 8 * 1024 ** 3
/**
 * Maximum ratio of uncompressed to compressed size. The limit in documents/office-package.ts is the same.
 * @limit compression ratio of an imported archive
 */
const RATIO_MAX = 250
const RATIO_FREE_BYTES = 10 * 1024 * 1024
/**
 * Maximum size of a line, in bytes. Sufficient for two million escaped characters.
 * @limit record of an imported archive
 */
const LINE_BYTES_MAX = 16 * 1024 * 1024
/**
 * Maximum number of JSON values in a line. Higher than for request bodies, because messages include the outputs of
 * tools.
 */
const LINE_VALUES_MAX = 500_000
/** @limit manifest of an imported archive */
const MANIFEST_BYTES_MAX = 1024 * 1024
const ENCRYPTED = 0x1
const STORED = 0
const DEFLATED = 8
const LF = 0x0a

const FILE_NAME = /^files\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** A ZIP file with the structure of an export. The content is untrusted. */
export interface Archive {
  /** Reads and parses `manifest.json`. Throws import.incomplete if the file is missing. */
  readManifest(): Promise<unknown>
  /** Yields the parsed lines of `{concept}.jsonl`. Yields nothing if the file is missing. */
  readLines(concept: string): AsyncGenerator<ArchiveLine>
  /** Opens an exported file by its id. Returns null if the file is missing. */
  openFile(id: string): AsyncIterable<Buffer> | null
  close(): void
}

export interface ArchiveLine {
  value: unknown
  /** Location for error messages, such as `agents.jsonl, line 3`. */
  location: string
  bytes: number
}

/**
 * Opens a ZIP file and checks its directory: names, sizes and compression methods. Reading an entry enforces its
 * declared size. `concepts` are the base names of the JSONL files that an export may contain. Throws import.damaged,
 * import.too_large.
 */
export async function openArchive(path: string, concepts: readonly string[]): Promise<Archive> {
  const zip = await openZip(path)
  try {
    const entries = await listEntries(zip, concepts)
    checkSizes(entries, zip.fileSize)
    return new ZippedArchive(zip, entries)
  } catch (error) {
    zip.close()
    throw explain(error)
  }
}

class ZippedArchive implements Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  async readManifest(): Promise<unknown> {
    const entry = this.#entries.get('manifest.json')
    if (!entry) throw fail('import.incomplete', { reason: sentence('import.no_manifest') })
    if (entry.uncompressedSize > MANIFEST_BYTES_MAX)
      throw tooLarge(sentence('import.manifest_bytes', { limit: MANIFEST_BYTES_MAX }))
    const chunks: Buffer[] = []
    for await (const chunk of readEntry(this.#zip, entry)) chunks.push(chunk)
    return parse(Buffer.concat(chunks), 'manifest.json')
  }

  async *readLines(concept: string): AsyncGenerator<ArchiveLine> {
    let number = 0
    for await (const bytes of this.#lines(concept)) {
      const location = `${concept}.jsonl, line ${++number}`
      yield { value: parse(bytes, location), location, bytes: bytes.length }
    }
  }

  openFile(id: string): AsyncIterable<Buffer> | null {
    const entry = this.#entries.get(`files/${id}`)
    return entry ? readEntry(this.#zip, entry) : null
  }

  close(): void {
    this.#zip.close()
  }

  async *#lines(concept: string): AsyncGenerator<Buffer> {
    const name = `${concept}.jsonl`
    const entry = this.#entries.get(name)
    if (!entry) return
    let pending: Buffer[] = []
    let length = 0
    for await (const chunk of readEntry(this.#zip, entry)) {
      let from = 0
      for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
        yield Buffer.concat([...pending, chunk.subarray(from, end)])
        pending = []
        length = 0
        from = end + 1
      }
      length += chunk.length - from
      if (length > LINE_BYTES_MAX)
        throw tooLarge(sentence('import.line_bytes', { file: name, limit: LINE_BYTES_MAX }))
      if (from < chunk.length) pending.push(chunk.subarray(from))
    }
    if (length > 0)
      throw fail('import.incomplete', { reason: sentence('import.line_cut_off', { file: name }) })
  }
}

const openZip = (path: string): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false, strictFileNames: true }, (error, zip) =>
      error === null ? resolve(zip) : reject(explain(error)),
    )
  })

function listEntries(zip: ZipFile, concepts: readonly string[]): Promise<Map<string, Entry>> {
  const names = new Set(['manifest.json', ...concepts.map((name) => `${name}.jsonl`)])
  if (zip.entryCount > ENTRIES_MAX) throw tooManyEntries()
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      const fault = entries.size >= ENTRIES_MAX ? tooManyEntries() : faultOf(entry, entries, names)
      if (fault) return reject(fault)
      entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

function faultOf(
  entry: Entry,
  others: ReadonlyMap<string, Entry>,
  names: ReadonlySet<string>,
): AppError | null {
  const { fileName: name, generalPurposeBitFlag: flags, compressionMethod: method } = entry
  const file = JSON.stringify(name.slice(0, NAME_SHOWN))
  if (!names.has(name) && !FILE_NAME.test(name)) return damaged(sentence('import.entry_unknown', { file }))
  if (others.has(name)) return damaged(sentence('import.entry_twice', { file }))
  if (flags & ENCRYPTED) return damaged(sentence('import.entry_encrypted', { file }))
  if (method !== STORED && method !== DEFLATED) return damaged(sentence('import.entry_compression', { file }))
  return null
}

/** Maximum length of an entry's name in an error message, because the name is untrusted. */
const NAME_SHOWN = 90

function checkSizes(entries: ReadonlyMap<string, Entry>, bytes: number): void {
  let total = 0
  for (const { uncompressedSize } of entries.values()) total += uncompressedSize
  if (total > UNPACKED_BYTES_MAX)
    throw tooLarge(sentence('import.unpacked_bytes', { limit: UNPACKED_BYTES_MAX }))
  if (total > RATIO_FREE_BYTES && total > bytes * RATIO_MAX)
    throw tooLarge(sentence('import.unpacked_ratio', { limit: RATIO_MAX }))
}

/**
 * Yields the content of an entry and verifies its checksum. yauzl enforces the size that the directory declares.
 * Throws import.damaged.
 */
async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let checksum = 0
  try {
    const stream = await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)))
    })
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum)
      yield chunk
    }
  } catch (error) {
    throw explain(error)
  }
  if (checksum !== entry.crc32) throw damaged(sentence('import.checksum', { file: entry.fileName }))
}

function parse(bytes: Buffer, location: string): unknown {
  try {
    return parseJsonBody(bytes, { valuesMax: LINE_VALUES_MAX, what: 'The JSON', keepsDigits: true })
  } catch (error) {
    if (error instanceof AppError) throw fail('import.invalid', { location, reason: error.message })
    throw error
  }
}

/**
 * Converts errors of yauzl and zlib to import.damaged. System errors are failures of the server, so they are returned
 * unchanged.
 */
function explain(error: unknown): unknown {
  if (error instanceof AppError || (error as NodeJS.ErrnoException).syscall !== undefined) return error
  return damaged(sentence('import.unreadable', { details: (error as Error).message }), error)
}

const damaged = (reason: string, cause?: unknown) => fail('import.damaged', { reason }, { cause })
const tooLarge = (reason: string) => fail('import.too_large', { reason })
const tooManyEntries = () => tooLarge(sentence('import.entries', { limit: ENTRIES_MAX }))
