import { isUtf8 } from 'node:buffer'
import { fail, sentence } from '#errors'

const DEPTH_MAX = 64

export interface JsonLimits {
  /** At most this many values: elements of arrays and members of objects, at any depth. */
  valuesMax: number
  /** What the sentences of errors call the text. */
  what?: string
}

/**
 * Parses JSON. The work before and after `JSON.parse` is one pass each, without an allocation per value.
 *
 * Throws request.malformed for text that is not JSON in UTF-8 or nests deeper than 64 levels, request.too_many_values,
 * and request.invalid for values that can't be stored: NUL or a lone surrogate in a string, and numbers beyond range.
 * The last of duplicate keys counts.
 */
export function parseJsonBody(bytes: Buffer, { valuesMax, what = 'The body' }: JsonLimits): unknown {
  if (!isUtf8(bytes)) throw malformed(sentence('request.encoding', { what }))
  checkStructure(bytes, valuesMax, what)
  let body: unknown
  try {
    body = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw malformed(sentence('request.not_json', { what }), cause)
  }
  checkStorable(body)
  return body
}

/** Checks the values of a query string, which Fastify has decoded. Throws request.invalid. */
export function checkStorable(body: unknown): void {
  if (!isStorable(body)) throw fail('request.invalid', { reason: describeFault(body, '') })
}

const malformed = (reason: string, cause?: unknown) => fail('request.malformed', { reason }, { cause })

/** The depth that checkStructure allows also bounds this recursion. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isStorable(value[index])) return false
    return true
  }
  const object = value as Record<string, unknown>
  for (const key in object) if (!isText(key) || !isStorable(object[key])) return false
  return true
}

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Says what is wrong with the first value that isn't storable. Only a failing branch gets a path. */
function describeFault(value: unknown, path: string): string {
  if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      if (!isText(key)) return describeFault(key, path ? `a key of ${path}` : 'a key of the request')
      if (!isStorable(inner)) return describeFault(inner, path ? `${path}.${key}` : key)
    }
  const field = path || 'the body'
  if (typeof value !== 'string') return sentence('request.number_range', { field })
  return sentence(value.includes('\0') ? 'request.nul' : 'request.surrogate', { field })
}

/**
 * Bounds depth and number of values before anything is parsed. Counts brackets and commas outside strings: in UTF-8 no
 * byte of another character equals one of these. An empty array or object with white space in it counts as two values.
 */
function checkStructure(bytes: Buffer, valuesMax: number, what: string): void {
  let depth = 0
  let values = 0
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > DEPTH_MAX) throw malformed(sentence('request.nested', { what, limit: DEPTH_MAX }))
        if (!isClosing(bytes[index + 1])) values++
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      case COMMA:
        values++
        break
    }
    if (values > valuesMax) throw fail('request.too_many_values', { what, limit: valuesMax })
  }
}

const isClosing = (byte: number | undefined): boolean => byte === CLOSE_BRACE || byte === CLOSE_BRACKET

/** The index of the quote that ends the string begun at `begin`, or of the last byte. */
function endOfString(bytes: Buffer, begin: number): number {
  for (let index = begin + 1; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === BACKSLASH) index++
    else if (byte === QUOTE) return index
  }
  return bytes.length
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
