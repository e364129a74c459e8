import { TextDecoder as LegacyDecoder } from '@exodus/bytes/encoding.js'

/**
 * Encodes text in an encoding of the Encoding Standard with one or two bytes per character, in ISO-2022-JP, or in UTF-8,
 * UTF-16 and UTF-32 without a byte order mark. Throws an Error if the encoding lacks a character.
 */
export function encodeText(encoding: string, text: string): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text)
    case 'utf-16le':
      return Buffer.from(text, 'utf16le')
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16()
    case 'utf-32le':
    case 'utf-32be':
      return encodeUtf32(text, encoding === 'utf-32le')
    case 'iso-2022-jp':
      return encodeIso2022Jp(text)
  }
  const table = tableOf(encoding)
  return Buffer.concat(
    Array.from(text, (character) => {
      const bytes = table.get(character)
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`)
      return bytes
    }),
  )
}

/** Returns the text without the characters that the encoding lacks. */
export function keepEncodable(encoding: string, text: string): string {
  if (encoding.startsWith('utf-')) return text
  const table = tableOf(encoding === 'iso-2022-jp' ? 'euc-jp' : encoding)
  return Array.from(text)
    .filter((character) => table.has(character))
    .join('')
}

const TABLES = new Map<string, Map<string, Buffer>>()

/** Inverts the decoder for all sequences of one and two bytes. */
function tableOf(encoding: string): Map<string, Buffer> {
  const known = TABLES.get(encoding)
  if (known) return known
  const table = new Map<string, Buffer>()
  const decoder = new LegacyDecoder(encoding)
  const add = (bytes: number[]): boolean => {
    const buffer = Buffer.from(bytes)
    const character = decoder.decode(buffer)
    if (character === '' || character.includes('\ufffd') || Array.from(character).length > 1) return false
    // Big5 has some characters twice, and encoders use the second one.
    if (!table.has(character) || encoding === 'big5') table.set(character, buffer)
    return true
  }
  for (let lead = 0; lead < 256; lead++)
    if (!add([lead]) && lead >= 0x80) for (let trail = 0x30; trail < 256; trail++) add([lead, trail])
  TABLES.set(encoding, table)
  return table
}

function encodeUtf32(text: string, isLittle: boolean): Buffer {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const bytes = Buffer.alloc(points.length * 4)
  points.forEach((point, index) => {
    if (isLittle) bytes.writeUInt32LE(point, index * 4)
    else bytes.writeUInt32BE(point, index * 4)
  })
  return bytes
}

const TO_KANJI = Buffer.from('\x1b$B', 'latin1')
const TO_ASCII = Buffer.from('\x1b(B', 'latin1')

/** The two bytes of a character are those of EUC-JP without the high bits, between escape sequences (RFC 1468). */
function encodeIso2022Jp(text: string): Buffer {
  const runs = text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? []
  return Buffer.concat(
    runs.map((run) =>
      run < '\x80'
        ? Buffer.from(run)
        : Buffer.concat([TO_KANJI, encodeText('euc-jp', run).map((byte) => byte & 0x7f), TO_ASCII]),
    ),
  )
}
