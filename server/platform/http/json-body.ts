import { isUtf8 } from 'node:buffer'
import { parseExactJson, roundOutside } from '#database/exact-json.ts'
import { fail, sentence } from '#errors'

/** @limit levels of a JSON body */
const DEPTH_MAX = 64

export interface JsonLimits {
  /** Maximum number of values: array elements and object members at any depth. */
  valuesMax: number
  /** Name of the JSON document in error messages. Default: "The body". */
  what?: string
  /**
   * True to read numbers that JavaScript would round as ExactNumber. The name of a property limits this to the values of
   * such properties.
   */
  keepsDigits?: boolean | string
}

/**
 * Parses JSON with limits. Makes one pass before `JSON.parse` and one pass after it, without allocations per value.
 * If an object repeats a key, the last value is used.
 *
 * Errors:
 * - request.malformed: not JSON in UTF-8, or nested deeper than 64 levels
 * - request.too_many_values
 * - request.invalid: a value that cannot be stored (NUL or a lone surrogate in a string, a number out of range)
 */
export function parseJsonBody(
  bytes: Buffer,
  { valuesMax, what = 'The body', keepsDigits = false }: JsonLimits,
): unknown {
  if (!isUtf8(bytes)) throw malformed(sentence('request.encoding', { what }))
  checkStructure(bytes, valuesMax, what)
  let body: unknown
  try {
    body = (keepsDigits === false ? JSON.parse : parseExactJson)(bytes.toString('utf8'))
  } catch (cause) {
    throw malformed(sentence('request.not_json', { what }), cause)
  }
  if (typeof keepsDigits === 'string') roundOutside(keepsDigits, body)
  checkStorable(body)
  return body
}

/**
 * Throws request.invalid if a value cannot be stored in the database. Also used for query strings, which Fastify
 * decodes.
 */
export function checkStorable(body: unknown): void {
  if (!isStorable(body)) throw fail('request.invalid', { reason: describeFault(body, '') })
}

const malformed = (reason: string, cause?: unknown) => fail('request.malformed', { reason }, { cause })

/** Recursive. The depth limit of checkStructure bounds the recursion. */
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

/** Describes the first value that cannot be stored. Builds a path only for the branch that contains the value. */
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
 * Enforces the limits on depth and number of values before parsing. Counts brackets and commas outside strings. In
 * UTF-8, these bytes are never part of another character. An empty array or object that contains white space counts
 * as if it had one element.
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

/** Returns the index of the closing quote, or the length if there is none. */
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
