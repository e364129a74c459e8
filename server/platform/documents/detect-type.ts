import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { ACCEPTED_TYPES, DOCX, XLSX } from './accepted-types.ts'
import { findEncoding, markedEncoding } from './text-encoding.ts'

/*
 * What decides, from top to bottom:
 *
 * | Content                                  | Name               | Type                                        |
 * |------------------------------------------|--------------------|---------------------------------------------|
 * | no bytes                                 | any                | none                                        |
 * | text whose root element is svg           | .svg               | image/svg+xml                               |
 * | text, but not the beginning of a PDF     | .txt .csv .md      | what the name says, be it HTML or "GIF"     |
 * | text, but not the beginning of a PDF     | without extension  | text/plain                                  |
 * | MP4 or 3GPP                              | .m4a               | audio/mp4: phones record sound so           |
 * | 3GPP                                     | .mp4               | video/mp4; otherwise none                   |
 * | MP4 that says that it is sound (M4A)     | any other          | audio/mp4                                   |
 * | WebM with sound and no picture           | any other          | audio/webm                                  |
 * | Ogg with film                            | any other          | none; Ogg of unsaid content is .ogg's sound |
 * | Office document that is encrypted        | .docx .xlsx        | what the name says; reading it says why not |
 * | PDF with up to a kilobyte before it      | .pdf               | application/pdf (PDF 1.7, appendix H.3)     |
 * | an accepted format that is no text       | any other          | the content's                               |
 * | anything else: a zip, HTML, other text   | any                | none                                        |
 *
 * Text is UTF-8, or UTF-16 with its mark, to the last byte and without NUL. What is called .txt, .csv or .md may also
 * be Windows-1252, as Excel writes it. No picture, sound or film is any of these.
 */

const HEAD_BYTES = 64 * 1024
/** What a PDF reader looks through for the beginning of the PDF. */
const PDF_START_BYTES = 1024
/** One read of a detector: what says more of itself is not accepted. */
const DETECTOR_BYTES_MAX = 1024 * 1024

const TEXT_TYPES: Record<string, string> = {
  '': 'text/plain',
  txt: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
  svg: 'image/svg+xml',
}

/** Of texts that may be Windows-1252. */
const WINDOWS_EXTENSIONS = new Set(['txt', 'csv', 'md', 'markdown'])

/** What the detector calls otherwise than we do. */
const OTHER_NAMES: Record<string, string> = {
  'audio/ogg; codecs=opus': 'audio/ogg',
  'audio/x-m4a': 'audio/mp4',
  'image/apng': 'image/png',
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
}

/**
 * The content type of the file at `path`, which its owner calls `filename`: one of ACCEPTED_TYPES, or null where it is
 * none of them. The content decides wherever it can, the name only between texts and where one format holds several.
 * Throws what reading the file throws.
 */
export async function detectType(path: string, filename: string): Promise<string | null> {
  const head = await readHead(path)
  if (head.length === 0) return null
  const extension = extname(filename.trim()).slice(1).toLowerCase()
  const textType = TEXT_TYPES[extension]
  if (textType !== undefined && !head.subarray(0, 5).equals(PDF_START)) {
    const encoding = await findEncoding(path)
    const isText = encoding === 'windows-1252' ? WINDOWS_EXTENSIONS.has(extension) : encoding !== null
    if (isText) return textType !== 'image/svg+xml' || isSvg(decodeHead(head)) ? textType : null
  }
  const found = await detectFormat(path)
  return chooseType(path, head, extension, found)
}

const PDF_START = Buffer.from('%PDF-')

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Loaded when the first file comes: most processes start long before. */
async function detectFormat(path: string): Promise<{ ext: string; mime: string } | undefined> {
  const { fileTypeFromFile } = await import('file-type')
  try {
    return await fileTypeFromFile(path, { maxBufferSize: DETECTOR_BYTES_MAX })
  } catch (error) {
    // The file itself could be read a moment ago; what the detector trips over is in its content.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    return undefined
  }
}

async function chooseType(
  path: string,
  head: Buffer,
  extension: string,
  found: { ext: string; mime: string } | undefined,
): Promise<string | null> {
  const type = found === undefined ? undefined : (OTHER_NAMES[found.mime] ?? found.mime)
  switch (type) {
    case 'video/mp4':
      return extension === 'm4a' ? 'audio/mp4' : type
    case 'video/3gpp':
      return { m4a: 'audio/mp4', mp4: 'video/mp4' }[extension] ?? null
    case 'video/webm':
      return hasSoundOnly(head) ? 'audio/webm' : type
    case 'application/ogg':
      return extension === 'ogg' || extension === 'oga' ? 'audio/ogg' : null
    case 'audio/mpeg':
      return found?.ext === 'mp3' ? type : null
    case 'application/x-cfb':
      return findEncrypted(path, { docx: DOCX, xlsx: XLSX }[extension])
  }
  if (type !== undefined && ACCEPTED_TYPES.has(type)) return type
  const isLatePdf = extension === 'pdf' && head.subarray(0, PDF_START_BYTES).includes(PDF_START)
  return isLatePdf ? 'application/pdf' : null
}

/** By the names of the codecs in the tracks, which stand at the beginning (RFC 9559, CodecID: 0x86, length, name). */
function hasSoundOnly(head: Buffer): boolean {
  const text = head.toString('latin1')
  return /\x86[\x80-\xbf]A_/.test(text) && !/\x86[\x80-\xbf]V_/.test(text)
}

/** An encrypted Office document is a compound file with a stream of this name (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le')

async function findEncrypted(path: string, type: string | undefined): Promise<string | null> {
  if (type === undefined) return null
  return (await isEncryptedOffice(path)) ? type : null
}

/** Whether the file names such a stream anywhere: its directory may stand at any place. */
export async function isEncryptedOffice(path: string): Promise<boolean> {
  let tail = Buffer.alloc(0)
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([tail, chunk])
    if (bytes.includes(ENCRYPTED_STREAM)) return true
    tail = bytes.subarray(Math.max(0, bytes.length - ENCRYPTED_STREAM.length))
  }
  return false
}

const decodeHead = (head: Buffer): string => new TextDecoder(markedEncoding(head)).decode(head)

/** Whether the first element is svg, after what may stand before it (XML 1.0, prolog). */
function isSvg(text: string): boolean {
  let rest = text.trimStart()
  for (;;) {
    const end = endOfMark(rest)
    if (end === 0) return /^<(?:[\w.-]+:)?svg[\s/>]/.test(rest)
    if (end < 0) return false
    rest = rest.slice(end).trimStart()
  }
}

/** Where the declaration, comment or document type that `text` begins with ends; 0 if it begins with none. */
function endOfMark(text: string): number {
  const mark = [
    ['<?', '?>'],
    ['<!--', '-->'],
    ['<!DOCTYPE', '>'],
  ].find(([start = '']) => text.startsWith(start))
  if (mark === undefined) return 0
  const [start = '', finish = ''] = mark
  const subset = /^<!DOCTYPE[^>[]*\[/.exec(text)
  const from = subset === null ? start.length : text.indexOf(']', subset[0].length)
  const end = from < 0 ? -1 : text.indexOf(finish, from)
  return end < 0 ? -1 : end + finish.length
}
