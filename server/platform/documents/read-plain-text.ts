import { createReadStream } from 'node:fs'
import type { BoundedText } from './bounded-text.ts'
import { createTextReader } from './decode-text.ts'
import { type FoundEncoding, findEncoding } from './text-encoding.ts'

/**
 * Reads a text file in the chosen encoding, or in the one that `findEncoding` returns. Invalid bytes become U+FFFD.
 * Returns the encoding, unless the content of the file states that it is Unicode.
 */
export async function readPlainText(
  path: string,
  text: BoundedText,
  chosen?: string,
): Promise<FoundEncoding | undefined> {
  const found = chosen === undefined ? await findEncoding(path) : { encoding: chosen, isDoubtful: false }
  const { encoding } = found ?? { encoding: 'utf-8' }
  await decodeFile(path, encoding, text)
  const isCertain = chosen === undefined && encoding.startsWith('utf-')
  return isCertain ? undefined : (found ?? undefined)
}

async function decodeFile(path: string, encoding: string, text: BoundedText): Promise<void> {
  const reader = createTextReader(encoding)
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    text.add(reader.decode(chunk))
    if (text.isFull) return
  }
  text.add(reader.end())
}
