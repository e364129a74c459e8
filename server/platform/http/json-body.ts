import { isUtf8 } from 'node:buffer'
import { fail } from '#errors'

/** JSON nested deeper than this is nobody's honest request. */
const DEPTH_MAX = 64
/** Escapes that may stand for NUL or for half a surrogate pair; only a body with one is looked through. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

/**
 * Parses a JSON body, or what else is called `what`. Refuses, with a sentence, what could not be stored or sent on as it is: invalid UTF-8, NUL and
 * lone surrogates in any string, numbers beyond range, and nesting without end. Of duplicate keys the last one counts.
 */
export function parseJsonBody(bytes: Buffer, what = 'The body'): unknown {
  if (!isUtf8(bytes)) throw malformed(`${what} is not valid UTF-8`)
  const text = bytes.toString('utf8')
  if (depthExceeds(text, DEPTH_MAX)) throw malformed(`${what} is nested deeper than ${DEPTH_MAX} levels`)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw malformed(`${what} is not valid JSON`, cause)
  }
  if (SUSPICIOUS_ESCAPE.test(text) || /\d[eE]\+?\d{3}|\d{300}/.test(text)) checkValues(body, '')
  return body
}

/** Checks the values of a query string, which Fastify has decoded. */
export function checkQuery(query: Record<string, unknown>): void {
  checkValues(query, '')
}

const malformed = (reason: string, cause?: unknown) => fail('request.malformed', { reason }, { cause })
const invalid = (reason: string) => fail('request.invalid', { reason })

function checkValues(value: unknown, path: string): void {
  const where = path || 'the body'
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`${where} must not contain the NUL character`)
    if (!value.isWellFormed())
      throw invalid(`${where} contains half a surrogate pair, which is not Unicode text`)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid(`${where} is a number beyond range`)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      checkValues(key, path ? `a key of ${path}` : 'a key of the request')
      checkValues(inner, path ? `${path}.${key}` : key)
    }
  }
}

/** Counts brackets outside strings; cheap, and it can't overflow the stack as a parser of nested values might. */
function depthExceeds(text: string, max: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > max) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
