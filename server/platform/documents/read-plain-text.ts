import { createReadStream } from 'node:fs'
import type { BoundedText } from './bounded-text.ts'
import { findEncoding } from './text-encoding.ts'

/** Reads a text file in UTF-8, UTF-16 with a byte order mark, or Windows-1252. Invalid bytes become U+FFFD. */
export async function readPlainText(path: string, text: BoundedText): Promise<void> {
  const decoder = new TextDecoder((await findEncoding(path)) ?? 'utf-8')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    text.add(decoder.decode(chunk, { stream: true }))
    if (text.isFull) return
  }
  text.add(decoder.decode())
}
