import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { sentence } from '#errors'
import { DocumentError } from './document-error.ts'
import { XmlError, type XmlHandler, XmlParser, xmlDecoder } from './xml.ts'

/** Maximum total uncompressed size of the parts of one file. @limit uncompressed Office document */
const UNPACKED_BYTES_MAX = 100 * 1024 * 1024
/** @limit entries of an Office document */
const ENTRIES_MAX = 10_000
/**
 * Maximum compression ratio. Tables of equal rows reach a ratio of almost 100.
 * @limit compression ratio of an Office document
 */
const RATIO_MAX = 250
/** Files with less uncompressed data than this may have any compression ratio. */
const RATIO_FREE_BYTES = 10 * 1024 * 1024
const MEGABYTE = 1024 * 1024
/** Parts with text: XML, and the chapters and indexes of an e-book. */
const TEXT_PART = /\.(xml|rels|xhtml|xht|html|htm|opf|ncx|mht|mhtml|txt|rtf)$/i

/** The parts with text of an opened file. Names are compared without regard to case (ECMA-376 part 2, 6.2.2). */
export interface OfficePackage {
  /** Names of the parts, in the order of the archive's directory. */
  readonly names: readonly string[]
  has(name: string): boolean
  /**
   * Parses an XML part. Throws an XmlError if it is missing or not well-formed, and a DocumentError if the parts that
   * were read so far unpack to too much.
   */
  parse(name: string, handler: XmlHandler): Promise<void>
  /** Returns the content of a part. Throws as `parse` does. */
  read(name: string): Promise<Buffer>
}

/**
 * Opens the zip archive of a document and calls `work` with its parts. Only parts with text can be read, so that images
 * cost nothing.
 *
 * Throws a DocumentError before unpacking if the archive's directory lists too many parts or too large parts. If the
 * directory states a wrong size, throws during unpacking.
 */
export async function withPackage<Result>(
  path: string,
  what: string,
  work: (parts: OfficePackage) => Promise<Result>,
): Promise<Result> {
  const zip = await openZip(path)
  try {
    const entries = await listEntries(zip, what)
    checkSizes(entries, zip.fileSize, what)
    const byName = new Map(entries.map((entry) => [keyOf(entry.fileName), entry]))
    let total = 0
    const unpacked = async function* (name: string): AsyncGenerator<Buffer> {
      const entry = byName.get(keyOf(name))
      if (entry === undefined) throw new XmlError(`The part ${name.slice(0, 200)} is missing`)
      for await (const chunk of await openEntry(zip, entry)) {
        total += chunk.length
        if (total > UNPACKED_BYTES_MAX) throw tooBig(what)
        yield chunk
      }
    }
    return await work({
      names: entries.map((entry) => entry.fileName),
      has: (name) => byName.has(keyOf(name)),
      parse: (name, handler) => parseXml(unpacked(name), handler),
      read: async (name) => {
        const chunks: Buffer[] = []
        for await (const chunk of unpacked(name)) chunks.push(chunk)
        return Buffer.concat(chunks)
      },
    })
  } finally {
    zip.close()
  }
}

const keyOf = (name: string): string => name.replace(/^\//, '').toLowerCase()

async function parseXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  const parser = new XmlParser(handler)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const chunk of chunks) {
    decoder ??= xmlDecoder(chunk)
    parser.write(decoder.decode(chunk, { stream: true }))
    if (handler.isDone) return
  }
  parser.write(decoder?.decode() ?? '')
  parser.end()
}

const openZip = (path: string): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error === null ? resolve(zip) : reject(error),
    )
  })

/** Returns the archive's entries that contain text. */
function listEntries(zip: ZipFile, what: string): Promise<Entry[]> {
  if (zip.entryCount > ENTRIES_MAX) throw tooManyParts(what)
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    let count = 0
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      if (++count > ENTRIES_MAX) return reject(tooManyParts(what))
      if (TEXT_PART.test(entry.fileName)) entries.push(entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

const tooManyParts = (what: string): DocumentError =>
  new DocumentError(sentence('document.parts', { kind: what, limit: ENTRIES_MAX.toLocaleString('en') }))

const tooBig = (what: string): DocumentError =>
  new DocumentError(
    sentence('document.unpacked_size', { kind: what, megabytes: UNPACKED_BYTES_MAX / MEGABYTE }),
  )

function checkSizes(entries: Entry[], fileBytes: number, what: string): void {
  const total = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (total > UNPACKED_BYTES_MAX) throw tooBig(what)
  if (total > RATIO_FREE_BYTES && total > fileBytes * RATIO_MAX)
    throw new DocumentError(sentence('document.unpacked_ratio', { kind: what, limit: RATIO_MAX }))
}

/** Unpacks an entry. yauzl throws if the size differs from the size in the archive's directory. */
const openEntry = (zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)))
  })

/** A reference from one part to another, or to a URL (ECMA-376 part 2, 6.5). */
export interface Relation {
  id: string
  /** Last segment of the relationship type, such as `worksheet`. */
  type: string
  /** Name of the part, or the URL if the relation is external. */
  target: string
  isExternal: boolean
}

/** Returns the relations of a part, by ID. `part` is '' for the relations of the file. Empty if there are none. */
export async function readRelations(parts: OfficePackage, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf('/')
  const folder = part.slice(0, slash + 1)
  const relations = new Map<string, Relation>()
  const name = `${folder}_rels/${part.slice(slash + 1)}.rels`
  if (!parts.has(name)) return relations
  await parts.parse(name, {
    open(element, attributes) {
      if (element !== 'Relationship') return
      const id = attributes.get('Id') ?? ''
      const type = (attributes.get('Type') ?? '').split('/').at(-1) ?? ''
      const target = attributes.get('Target') ?? ''
      const isExternal = attributes.get('TargetMode') === 'External'
      relations.set(id, { id, type, target: isExternal ? target : resolvePart(folder, target), isExternal })
    },
    close() {},
    text() {},
  })
  return relations
}

/** Returns the name of the part to which `target` leads from a part in `folder`. */
export function resolvePart(folder: string, target: string): string {
  const [path = ''] = target.replaceAll('\\', '/').split('#')
  const from = path.startsWith('/') ? '' : folder
  const names: string[] = []
  for (const name of `${from}${decodeName(path)}`.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.join('/')
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Returns the name of the main part, such as `word/document.xml`. */
export async function mainPart(parts: OfficePackage, usual: string): Promise<string> {
  for (const { type, target } of (await readRelations(parts, '')).values())
    if (type === 'officeDocument' && parts.has(target)) return target
  return usual
}
