/** Decodes a text chunk by chunk. Invalid bytes become U+FFFD. */
export interface TextReader {
  decode(chunk: Uint8Array): string
  /** Returns the rest after the last chunk. */
  end(): string
}

export type WideUnicode = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'

/** Returns a decoder for a label of UTF-8, UTF-16 or UTF-32 in lowercase, or null for other labels. */
export function createUnicodeReader(label: string): TextReader | null {
  if (label === 'utf-32le' || label === 'utf-32be') return createUtf32Reader(label === 'utf-32le')
  return /^utf-?(?:8|16)/.test(label) ? readerOf(new TextDecoder(label)) : null
}

/** A decoder of Node, or one with the same interface. */
interface StreamingDecoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}

export const readerOf = (decoder: StreamingDecoder): TextReader => ({
  decode: (chunk) => decoder.decode(chunk, { stream: true }),
  end: () => decoder.decode(),
})

export function decodeUnicode(encoding: 'utf-8' | WideUnicode, bytes: Uint8Array): string {
  const reader = createUnicodeReader(encoding)
  return reader === null ? '' : reader.decode(bytes) + reader.end()
}

/** Returns whether an encoding is a label of the Encoding Standard, utf-32le or utf-32be. */
export function isKnownEncoding(encoding: string): boolean {
  if (/^utf-32[lb]e$/i.test(encoding)) return true
  try {
    new TextDecoder(encoding)
    return true
  } catch {
    return false
  }
}

const UNIT_BYTES = 4
const BYTE_ORDER_MARK = 0xfeff
const INVALID = 0xfffd

/** Node has no decoder for UTF-32. */
function createUtf32Reader(isLittle: boolean): TextReader {
  let rest: Buffer = Buffer.alloc(0)
  let isStart = true
  return {
    decode(chunk) {
      const bytes = Buffer.concat([rest, chunk])
      const end = bytes.length - (bytes.length % UNIT_BYTES)
      rest = bytes.subarray(end)
      const characters: string[] = []
      for (let at = 0; at < end; at += UNIT_BYTES) {
        const point = isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
        const isValid = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
        if (!isStart || point !== BYTE_ORDER_MARK)
          characters.push(String.fromCodePoint(isValid ? point : INVALID))
        isStart = false
      }
      return characters.join('')
    },
    end: () => (rest.length > 0 ? String.fromCodePoint(INVALID) : ''),
  }
}
