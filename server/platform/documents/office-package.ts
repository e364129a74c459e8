import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { sentence } from '#errors'
import { DocumentError } from './document-error.ts'

/** Maximum total uncompressed size of the parts of one file. */
const UNPACKED_BYTES_MAX = 100 * 1024 * 1024
const ENTRIES_MAX = 10_000
/** Maximum compression ratio. Tables of equal rows reach a ratio of almost 100. */
const RATIO_MAX = 250
/** Files with less uncompressed data than this may have any compression ratio. */
const RATIO_FREE_BYTES = 10 * 1024 * 1024
const MEGABYTE = 1024 * 1024

/**
 * Opens the zip archive of a DOCX or XLSX. Returns an uncompressed zip archive that contains only the parts with text
 * (XML and relations). The parsing libraries therefore unpack only data that was counted here, and images cost nothing.
 *
 * Throws a DocumentError before unpacking if the archive's directory lists too many parts or too large parts. If the
 * directory states a wrong size, throws during unpacking.
 */
export async function readOfficePackage(path: string, what: string): Promise<Buffer> {
  const zip = await openZip(path)
  try {
    const entries = await listEntries(zip, what)
    checkSizes(entries, zip.fileSize, what)
    const parts: Part[] = []
    let total = 0
    for (const entry of entries) {
      const content = await unpack(zip, entry, UNPACKED_BYTES_MAX - total, what)
      total += content.length
      parts.push({ name: Buffer.from(entry.fileName), content })
    }
    return packStored(parts)
  } finally {
    zip.close()
  }
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
      if (/\.(xml|rels)$/i.test(entry.fileName)) entries.push(entry)
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

/** Returns the content of an entry. yauzl throws if the size differs from the size in the archive's directory. */
async function unpack(zip: ZipFile, entry: Entry, bytesMax: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const stream = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)))
  })
  for await (const chunk of stream) {
    length += chunk.length
    if (length > bytesMax) throw tooBig(what)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

interface Part {
  name: Buffer
  content: Buffer
}

/** Creates an uncompressed zip archive: local headers with contents, directory, end record (APPNOTE.TXT 4.3). */
function packStored(parts: Part[]): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content } of parts) {
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(UTF8_NAMES, 2)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const attributes = Buffer.alloc(14)
    attributes.writeUInt32LE(offset, 10)
    directory.push(DIRECTORY_HEADER, common, attributes, name)
    pieces.push(LOCAL_HEADER, common, name, content)
    offset += LOCAL_HEADER.length + common.length + name.length + content.length
  }
  const end = Buffer.alloc(22)
  END_HEADER.copy(end)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...pieces, ...directory, end])
}

const UTF8_NAMES = 0x0800
const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1')
/** Includes the "version made by" field, which local headers don't have. */
const DIRECTORY_HEADER = Buffer.from('PK\x01\x02\x14\x00', 'latin1')
const END_HEADER = Buffer.from('PK\x05\x06', 'latin1')
