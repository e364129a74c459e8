import { crc32, deflateRawSync } from 'node:zlib'

/** A file in a zip archive. `claims` and `checksum` override the size and the checksum in the archive's directory. */
export interface ZipPart {
  name: string
  content: string | Buffer
  claims?: number
  checksum?: number
  /** The general purpose bit flags. Bit 0 marks the file as encrypted. */
  flags?: number
}

/** Returns a well-formed zip archive with compressed files (APPNOTE.TXT 4.3). */
export function makeZip(parts: ZipPart[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, claims, checksum, flags = 0 } of parts) {
    const plain = Buffer.from(content)
    const packed = deflateRawSync(plain)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(checksum ?? crc32(plain), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claims ?? plain.length, 18)
    common.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    files.push(Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, Buffer.from(name))
    offset += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const CONTENT = 'application/vnd.openxmlformats-officedocument'

const contentTypes = (part: string, type: string): ZipPart => ({
  name: '[Content_Types].xml',
  content: `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/${part}" ContentType="${CONTENT}.${type}.main+xml"/></Types>`,
})

const relation = (name: string, id: string, type: string, target: string): ZipPart => ({
  name,
  content: `<?xml version="1.0"?><Relationships xmlns="${RELATIONS}"><Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`,
})

/** Returns a DOCX file with `document` as word/document.xml. */
export const makeDocx = (
  document: string | Buffer,
  more: Partial<ZipPart> = {},
  parts: ZipPart[] = [],
): Buffer =>
  makeZip([
    contentTypes('word/document.xml', 'wordprocessingml.document'),
    relation('_rels/.rels', 'rId1', 'officeDocument', 'word/document.xml'),
    { name: 'word/document.xml', content: document, ...more },
    ...parts,
  ])

/** Returns the word/document.xml of a document with one paragraph. */
export const documentXml = (text: string, docType = ''): string =>
  `<?xml version="1.0"?>${docType}<w:document xmlns:w="${W}"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`

/** Returns an XLSX file with `rows` as the rows of its sheet. */
export const makeXlsx = (rows: string, docType = ''): Buffer =>
  makeZip([
    contentTypes('xl/workbook.xml', 'spreadsheetml.sheet'),
    relation('_rels/.rels', 'rId1', 'officeDocument', 'xl/workbook.xml'),
    {
      name: 'xl/workbook.xml',
      content: `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    relation('xl/_rels/workbook.xml.rels', 'rId1', 'worksheet', 'worksheets/sheet1.xml'),
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<?xml version="1.0"?>${docType}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
    },
  ])

/** Returns a PDF whose page tree is nested `depth` levels deep. */
export function makeDeepPdf(depth: number): Buffer {
  const objects = ['<</Type/Catalog/Pages 2 0 R>>']
  for (let level = 0; level < depth; level++)
    objects.push(
      `<</Type/Pages/Count 1/Kids[${level + 3} 0 R]${level === 0 ? '' : `/Parent ${level + 1} 0 R`}>>`,
    )
  objects.push(`<</Type/Page/MediaBox[0 0 9 9]/Contents ${'['.repeat(depth)}${']'.repeat(depth)}>>`)
  return makePdf(objects.map((text) => Buffer.from(text)))
}

/** Returns a small PDF with one page. The page's content stream decompresses to `megabytes` of operators. */
export function makePdfBomb(megabytes: number): Buffer {
  const content = deflateRawSync(Buffer.alloc(megabytes * 1024 * 1024, 'q Q '), { level: 9 })
  const zlib = Buffer.concat([Buffer.from([0x78, 0xda]), content, Buffer.alloc(4)])
  return makePdf([
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Count 1/Kids[3 0 R]>>'),
    Buffer.from('<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>/Contents 4 0 R>>'),
    Buffer.concat([
      Buffer.from(`<</Length ${zlib.length}/Filter/FlateDecode>>\nstream\n`),
      zlib,
      Buffer.from('\nendstream'),
    ]),
  ])
}

function makePdf(objects: Buffer[]): Buffer {
  const pieces = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  let offset = (pieces[0] as Buffer).length
  objects.forEach((object, index) => {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    places.push(offset)
    offset += piece.length
    pieces.push(piece)
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${offset}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(pieces)
}

/**
 * Returns a WAV file with `megabytes` of distinct genre tags. A reader that compares each tag with all others takes
 * quadratic time.
 */
export function makeTaggedWav(megabytes: number): Buffer {
  const tags = distinctTags(megabytes, (genre) => {
    const tag = Buffer.alloc(8 + genre.length)
    tag.write('IGNR', 'latin1')
    tag.writeUInt32LE(genre.length, 4)
    tag.write(genre, 8, 'latin1')
    return tag
  })
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(8_000, 4)
  format.writeUInt32LE(8_000, 8)
  format.writeUInt16LE(1, 12)
  format.writeUInt16LE(8, 14)
  const chunks = [
    riffChunk('fmt ', format),
    riffChunk('LIST', Buffer.concat([Buffer.from('INFO'), tags])),
    riffChunk('data', Buffer.alloc(8_000, 0x80)),
  ]
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]))
}

function riffChunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}

/** Returns a FLAC file with `megabytes` of distinct genre comments (RFC 9639, section 8.6). */
export function makeTaggedFlac(megabytes: number): Buffer {
  let count = 0
  const comments = distinctTags(megabytes, (genre) => {
    count++
    const text = `GENRE=${genre}`
    const comment = Buffer.alloc(4 + text.length)
    comment.writeUInt32LE(text.length)
    comment.write(text, 4, 'latin1')
    return comment
  })
  const head = Buffer.alloc(8)
  head.writeUInt32LE(count, 4)
  const streamInfo = Buffer.alloc(34)
  // Sample rate 8 kHz, one channel, 8 bits per sample, 8,000 samples.
  streamInfo.writeUInt32BE((8_000 << 12) | (7 << 4), 10)
  streamInfo.writeUInt32BE(8_000, 14)
  return Buffer.concat([
    Buffer.from('fLaC'),
    flacBlock(0, streamInfo, false),
    flacBlock(4, Buffer.concat([head, comments]), true),
  ])
}

function flacBlock(type: number, content: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length)
  head[0] = type | (isLast ? 0x80 : 0)
  return Buffer.concat([head, content])
}

function distinctTags(megabytes: number, tagOf: (genre: string) => Buffer): Buffer {
  const tags: Buffer[] = []
  let bytes = 0
  for (let number = 0; bytes < megabytes * 1024 * 1024; number++) {
    const tag = tagOf(number.toString(36).padStart(6, '0'))
    tags.push(tag)
    bytes += tag.length
  }
  return Buffer.concat(tags)
}
