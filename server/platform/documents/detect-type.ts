import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { ACCEPTED_TYPES, DOCX, EML, PPTX, XLSX } from './accepted-types.ts'
import { detectPackage } from './detect-package.ts'
import { classifyText, markedEncoding } from './text-encoding.ts'
import { decodeUnicode } from './unicode-text.ts'

/*
 * The first matching row decides the type:
 *
 * | Content                                | Filename          | Detected type                               |
 * |----------------------------------------|-------------------|---------------------------------------------|
 * | no bytes                               | any               | none                                        |
 * | text whose root element is svg         | .svg              | image/svg+xml                               |
 * | text that does not start with %PDF-    | .txt .csv .md     | by the filename, also for HTML or "GIF"     |
 * | text that does not start with %PDF-    | without extension | text/plain                                  |
 * | MP4 or 3GPP                            | .m4a              | audio/mp4: phones record audio like this    |
 * | 3GPP                                   | .mp4              | video/mp4; otherwise none                   |
 * | MP4 with an audio brand (M4A)          | any other         | audio/mp4                                   |
 * | WebM with audio and no video           | any other         | audio/webm                                  |
 * | Ogg with video                         | any other         | none                                        |
 * | Ogg of unknown content                 | .ogg .oga         | audio/ogg; otherwise none                   |
 * | header lines of an email               | .eml              | message/rfc822                              |
 * | encrypted Office document              | .docx .xlsx .pptx | by the filename; reading reports the reason |
 * | a zip with the parts of a document     | as in DOCUMENTS   | by the filename                             |
 * | PDF after up to 1,024 other bytes      | .pdf              | application/pdf (PDF 1.7, appendix H.3)     |
 * | an accepted format other than text     | any other         | by the content                              |
 * | anything else: a zip, HTML, other text | any               | none                                        |
 *
 * Text is UTF-8 without NUL, or plausible in UTF-16 or UTF-32. Files named .txt, .csv or .md may also be in a legacy
 * encoding, because Excel writes these. No image, audio or video file is text in this sense.
 */

const HEAD_BYTES = 64 * 1024
/** PDF readers search this many bytes for the PDF header. */
const PDF_START_BYTES = 1024
/** Maximum bytes that the file-type detector may read at once. Files that require more are rejected. */
const DETECTOR_BYTES_MAX = 1024 * 1024

const TEXT_TYPES: Record<string, string> = {
  '': 'text/plain',
  txt: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
  svg: 'image/svg+xml',
}

/** File extensions whose text may be in a legacy encoding. */
const LEGACY_EXTENSIONS = new Set(['txt', 'csv', 'md', 'markdown'])

/** Content types for which the file-type detector uses another name. */
const OTHER_NAMES: Record<string, string> = {
  'audio/ogg; codecs=opus': 'audio/ogg',
  'audio/x-m4a': 'audio/mp4',
  'image/apng': 'image/png',
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
}

/**
 * Returns the content type of the file at `path`, or null if the type is not in ACCEPTED_TYPES. The content decides
 * where possible. The filename decides only between text types, and where one format has several types. Rejects with
 * the file system's error if the file cannot be read.
 */
export async function detectType(path: string, filename: string): Promise<string | null> {
  const head = await readHead(path)
  if (head.length === 0) return null
  const extension = extname(filename.trim()).slice(1).toLowerCase()
  const textType = TEXT_TYPES[extension]
  if (textType !== undefined && !head.subarray(0, 5).equals(PDF_START)) {
    const kind = await classifyText(path)
    const isText = kind === 'legacy' ? LEGACY_EXTENSIONS.has(extension) : kind !== null
    if (isText) return textType !== 'image/svg+xml' || isSvg(decodeHead(head)) ? textType : null
  }
  if (extension === 'eml' && isEmail(head.toString('latin1'))) return EML
  const found = await detectFormat(path)
  return chooseType(path, head, extension, found)
}

const PDF_START = Buffer.from('%PDF-')
const ZIP_START = Buffer.from('PK')

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Runs the file-type detector. The package is loaded for the first file, because most processes start long before
 * they read one.
 */
async function detectFormat(path: string): Promise<{ ext: string; mime: string } | undefined> {
  const { fileTypeFromFile } = await import('file-type')
  try {
    return await fileTypeFromFile(path, { maxBufferSize: DETECTOR_BYTES_MAX })
  } catch (error) {
    // A file system error has a `syscall`. Any other error is due to the file's content.
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
      return findEncrypted(path, { docx: DOCX, xlsx: XLSX, pptx: PPTX }[extension])
  }
  if (type !== undefined && ACCEPTED_TYPES.has(type)) return type
  if (head.subarray(0, 2).equals(ZIP_START)) return detectPackage(path, extension)
  const isLatePdf = extension === 'pdf' && head.subarray(0, PDF_START_BYTES).includes(PDF_START)
  return isLatePdf ? 'application/pdf' : null
}

/**
 * Returns true if a WebM file has audio tracks and no video tracks. The codec names of the tracks are near the start
 * of the file (RFC 9559, CodecID: 0x86, length, name).
 */
function hasSoundOnly(head: Buffer): boolean {
  const text = head.toString('latin1')
  return /\x86[\x80-\xbf]A_/.test(text) && !/\x86[\x80-\xbf]V_/.test(text)
}

const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Returns whether a file is a compound file, such as a document of Office 97-2003 (MS-CFB 2.2). */
export async function isCompoundFile(path: string): Promise<boolean> {
  return (await readHead(path)).subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)
}

/** An encrypted Office document is a compound file with a stream of this name (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le')

async function findEncrypted(path: string, type: string | undefined): Promise<string | null> {
  if (type === undefined) return null
  return (await isEncryptedOffice(path)) ? type : null
}

/**
 * Returns true if the name of the encrypted stream occurs anywhere in the file. The file's directory can be at any
 * offset.
 */
export async function isEncryptedOffice(path: string): Promise<boolean> {
  let tail = Buffer.alloc(0)
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([tail, chunk])
    if (bytes.includes(ENCRYPTED_STREAM)) return true
    tail = bytes.subarray(Math.max(0, bytes.length - ENCRYPTED_STREAM.length))
  }
  return false
}

/** Returns true if a file begins with the header lines of an email (RFC 5322), or with the line of a mailbox file. */
function isEmail(head: string): boolean {
  const [headers = ''] = head.replace(/^(?:\xef\xbb\xbf)?\s{0,100}/, '').split(/\r?\n\r?\n/, 1)
  return (
    !headers.includes('\0') &&
    /^(?:From |[!-9;-~]{1,100}:)/.test(headers) &&
    /^(?:from|to|cc|subject|date|received|message-id|mime-version|return-path|delivered-to|content-type):/im.test(
      headers,
    )
  )
}

const decodeHead = (head: Buffer): string => decodeUnicode(markedEncoding(head) ?? 'utf-8', head)

/** Returns true if the root element after the XML prolog is svg. */
function isSvg(text: string): boolean {
  let rest = text.trimStart()
  for (;;) {
    const end = endOfMark(rest)
    if (end === 0) return /^<(?:[\w.-]+:)?svg[\s/>]/.test(rest)
    if (end < 0) return false
    rest = rest.slice(end).trimStart()
  }
}

/**
 * Returns the end of the declaration, comment or document type at the start of `text`. Returns 0 if there is none,
 * and -1 if it is not closed.
 */
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
