import { createReadStream } from 'node:fs'
import type { BoundedText } from './bounded-text.ts'
import { type Decoder, encodingOf } from './detect-type.ts'

/** A text as it is, in UTF-8 or, with its mark, UTF-16. What is no character becomes U+FFFD. */
export async function readPlainText(path: string, text: BoundedText): Promise<void> {
  let decoder: Decoder | undefined
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    text.add(decoder.decode(chunk, { stream: true }))
    if (text.isFull) return
  }
  text.add(decoder?.decode() ?? '')
}
