import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { TEXT_CHARACTERS_MAX } from './bounded-text.ts'
import { decodeUnicode, type WideUnicode } from './unicode-text.ts'
import { CONTROL_BYTES, findUnmarkedUnicode } from './unmarked-unicode.ts'

/** An encoding, and whether another encoding is almost as likely. */
export interface FoundEncoding {
  encoding: string
  isDoubtful: boolean
}

/** Bytes that are examined. Text after them is never stored, because a character has at most 4 bytes. */
const SCANNED_BYTES_MAX = 4 * TEXT_CHARACTERS_MAX
/** Bytes from the start of a file, and bytes of its first text beyond ASCII, from which the encoding is guessed. */
const SAMPLE_BYTES_MAX = 64 * 1024
const CHUNK_BYTES = 64 * 1024
/** Bytes of one chunk in a sample, so that a sample has several parts of the file. */
const PIECE_BYTES_MAX = 8 * 1024

/** Escape sequences of ISO-2022-JP, whose bytes are all ASCII (RFC 1468). */
const ESCAPES = ['\x1b$@', '\x1b$B', '\x1b(J']

/**
 * Returns whether a file is text in Unicode or in a legacy encoding, without finding out which one. Returns null if the
 * file is not text. Rejects with the file system's error if the file cannot be read.
 */
export async function classifyText(path: string): Promise<'unicode' | 'legacy' | null> {
  const scan = await scanFile(path)
  if (unicodeOf(scan) !== null) return 'unicode'
  return hasControls(scan) ? null : 'legacy'
}

/**
 * Returns the encoding of a text file: the encoding of its byte order mark, otherwise UTF-8 if valid or almost valid,
 * otherwise UTF-16 or UTF-32 if the text is plausible in it, otherwise the legacy encoding that fits best. Returns null
 * if the file is not text. Rejects with the file system's error if the file cannot be read.
 */
export async function findEncoding(path: string): Promise<FoundEncoding | null> {
  const scan = await scanFile(path)
  const encoding = unicodeOf(scan)
  if (encoding !== null) return { encoding, isDoubtful: false }
  if (hasControls(scan)) return null
  return (await import('./guess-encoding.ts')).guessEncoding(scan.sample)
}

/** Returns the Unicode encoding that the byte order mark indicates, or null without a byte order mark. */
export function markedEncoding(head: Uint8Array): 'utf-8' | WideUnicode | null {
  const hasMark = (...mark: number[]): boolean => mark.every((byte, index) => head[index] === byte)
  if (hasMark(0xef, 0xbb, 0xbf)) return 'utf-8'
  if (hasMark(0xff, 0xfe, 0, 0)) return 'utf-32le'
  if (hasMark(0, 0, 0xfe, 0xff)) return 'utf-32be'
  if (hasMark(0xff, 0xfe)) return 'utf-16le'
  return hasMark(0xfe, 0xff) ? 'utf-16be' : null
}

interface Scan {
  head: Buffer
  /** The first text beyond ASCII. */
  sample: Buffer
  isAscii: boolean
  isUtf8: boolean
  hasNul: boolean
  hasEscapes: boolean
}

async function scanFile(path: string): Promise<Scan> {
  const pieces: { head: Buffer[]; sample: Buffer[] } = { head: [], sample: [] }
  const scan = { isAscii: true, isUtf8: true, hasNul: false, hasEscapes: false }
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = true
  const stream = createReadStream(path, { end: SCANNED_BYTES_MAX - 1, highWaterMark: CHUNK_BYTES })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    add(pieces.head, chunk)
    scan.hasNul ||= chunk.includes(0)
    scan.hasEscapes ||= ESCAPES.some((sequence) => chunk.includes(sequence, 0, 'latin1'))
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = endOfWholeCharacters(bytes)
    rest = bytes.subarray(end)
    if (!isAscii(chunk)) add(pieces.sample, textBeyondAscii(chunk, isFirst))
    scan.isAscii &&= isAscii(bytes.subarray(0, end))
    scan.isUtf8 &&= isUtf8(bytes.subarray(0, end))
    isFirst = false
  }
  // The end of a file may be cut off. A byte beyond ASCII that has no other before it is not the start of a character.
  if (rest.length > 0 && scan.isAscii) scan.isUtf8 = false
  return { ...scan, head: Buffer.concat(pieces.head), sample: Buffer.concat(pieces.sample) }
}

/** Adds the start of `bytes` to the pieces of a sample. */
function add(pieces: Buffer[], bytes: Buffer): void {
  const left = SAMPLE_BYTES_MAX - pieces.reduce((sum, { length }) => sum + length, 0)
  if (left > 0) pieces.push(bytes.subarray(0, left))
}

/** Returns the end of the last whole UTF-8 character. */
function endOfWholeCharacters(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return lengthOf(byte) > length ? bytes.length - length : bytes.length
  }
  return bytes.length
}

const lengthOf = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)

/** In every legacy encoding, a lower byte is a character of its own. */
const TRAIL_BYTE_MIN = 0x30

/** Returns the first text beyond ASCII of a chunk. Starts and ends with a whole character, if the chunk has ASCII. */
function textBeyondAscii(chunk: Buffer, isFirst: boolean): Buffer {
  const first = chunk.findIndex((byte) => byte >= 0x80)
  const before = chunk.subarray(0, first).findLastIndex((byte) => byte < TRAIL_BYTE_MIN)
  const after = before >= 0 || isFirst ? before : chunk.findIndex((byte) => byte < TRAIL_BYTE_MIN)
  const piece = chunk.subarray(after + 1, after + 1 + PIECE_BYTES_MAX)
  if (chunk.length < CHUNK_BYTES && after + 1 + piece.length === chunk.length) return piece
  const end = piece.findLastIndex((byte) => byte < TRAIL_BYTE_MIN) + 1
  return end > 0 ? piece.subarray(0, end) : piece
}

function unicodeOf(scan: Scan): string | null {
  const marked = markedEncoding(scan.head)
  if (marked !== null && isMostlyValid(decodeUnicode(marked, scan.head))) return marked
  if (scan.isAscii && scan.hasEscapes) return 'iso-2022-jp'
  const isEightBit = scan.isUtf8 || isAlmostUtf8(scan.sample)
  const wide = isEightBit && !hasControls(scan) ? null : findUnmarkedUnicode(scan.head)
  return wide ?? (isEightBit && !scan.hasNul ? 'utf-8' : null)
}

const hasControls = ({ head, sample }: Scan): boolean =>
  [head, sample].some((bytes) => CONTROL_BYTES.test(bytes.toString('latin1')))

/** The least number of characters of a text per invalid one. Other files may start like a byte order mark. */
const CHARACTERS_PER_ERROR = 20

function isMostlyValid(text: string): boolean {
  const errors = text.split('\ufffd').length - 1
  return !text.includes('\0') && errors * CHARACTERS_PER_ERROR <= text.length
}

/** Characters beyond ASCII, and their number per invalid byte, from which on text counts as damaged UTF-8. */
const UTF8_CHARACTERS_MIN = 5
const UTF8_CHARACTERS_PER_ERROR = 10

function isAlmostUtf8(sample: Buffer): boolean {
  const text = sample.toString('utf8')
  const errors = text.split('\ufffd').length - 1
  const characters = (text.match(/[^\0-\x7f\ufffd]/gu) ?? []).length
  return characters >= UTF8_CHARACTERS_MIN && characters >= errors * UTF8_CHARACTERS_PER_ERROR
}
