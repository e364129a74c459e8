import { TextDecoder as LegacyDecoder } from '@exodus/bytes/encoding.js'
import { createUnicodeReader, readerOf, type TextReader } from './unicode-text.ts'

/**
 * Returns a decoder for an encoding that `isKnownEncoding` accepts. Throws a RangeError for others. For legacy
 * encodings, it is a package: Node's decoder of Korean lacks half of the syllables. The package is loaded only by
 * readers.
 */
export function createTextReader(encoding: string): TextReader {
  const label = encoding.trim().toLowerCase()
  return createUnicodeReader(label) ?? readerOf(new LegacyDecoder(label))
}

/** Returns the text of all bytes. Throws a RangeError for an unknown encoding. */
export function decodeText(encoding: string, bytes: Uint8Array): string {
  const reader = createTextReader(encoding)
  return reader.decode(bytes) + reader.end()
}
