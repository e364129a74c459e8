import { randomBytes } from 'node:crypto'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { parseExactJson, roundOutside } from '#database/exact-json.ts'

/*
 * The SDK parses messages with JSON.parse, which rounds numbers with many digits. Such numbers therefore pass the SDK as
 * strings with a mark that no server can know.
 */

const MARK = `exact-${randomBytes(16).toString('hex')}:`
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const LONG_NUMBER = /-?\d[\d.eE+-]{15,}/g
const HAS_LONG_NUMBER = /\d[\d.]{15}/

/** Marks the long numbers in a body of JSON or of server-sent events. JSON has no line breaks inside strings. */
export async function* markLongNumbers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = []
  for await (const chunk of chunks) {
    const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1
    if (end > 0) {
      yield marked(Buffer.concat([...pieces, chunk.subarray(0, end)]))
      pieces = []
    }
    if (end < chunk.length) pieces.push(chunk.subarray(end))
  }
  if (pieces.length > 0) yield marked(Buffer.concat(pieces))
}

function marked(lines: Buffer): Uint8Array {
  const text = lines.toString('latin1')
  if (!HAS_LONG_NUMBER.test(text)) return lines
  let result = ''
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const begin = quote < 0 ? text.length : quote
    result += text
      .slice(at, begin)
      .replace(LONG_NUMBER, (number) => (isRounded(number) ? `"${MARK}${number}"` : number))
    at = endOfString(text, begin)
    result += text.slice(begin, at)
  }
  return Buffer.from(result, 'latin1')
}

/** Returns the position after the string that begins at `begin`, which ends at the latest with its line. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    const end = text.indexOf('"', at)
    if (end < 0) break
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return end + 1
    at = end
  }
  return text.length
}

function isRounded(number: string): boolean {
  try {
    return typeof parseExactJson(number) !== 'number'
  } catch {
    return false // no number of JSON: the SDK reports it
  }
}

/**
 * Prepares a received message for the SDK, in place: rounds the marked numbers of what the SDK reads itself. Results keep
 * them for `unmarked`, and ids for `withIdAsReceived`.
 */
export function roundForSdk(message: JSONRPCMessage): JSONRPCMessage {
  for (const part of ['params', 'error'] as const)
    if (part in message) roundOutside(null, unmarked((message as Record<string, unknown>)[part]))
  return message
}

/** Returns a message as it is sent: the id of a server's request as the server wrote it. */
export const withIdAsReceived = (message: JSONRPCMessage): JSONRPCMessage =>
  'id' in message ? { ...message, id: unmarked(message.id) as string | number } : message

/** Replaces the marked numbers in the content of a message by ExactNumbers. */
export function unmarked(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith(MARK) && isRounded(value.slice(MARK.length))
      ? parseExactJson(value.slice(MARK.length))
      : value
  if (value === null || typeof value !== 'object') return value
  const object = value as Record<string, unknown>
  for (const key of Object.keys(object)) {
    const inner = object[key]
    const exact = unmarked(inner)
    if (exact !== inner) object[key] = exact
  }
  return value
}
