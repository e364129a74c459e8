import { isExactNumber } from '#database/exact-json.ts'
import { findAnyOf } from './find-any.ts'

/** Minimum length of a masked secret. Shorter values occur in many texts by chance. */
const SECRET_CHARACTERS_MIN = 4
/** Minimum length of a base64 fragment that identifies a secret. */
const BASE64_CHARACTERS_MIN = 6
const MASK = '***'

/** Masks secrets in strings and in JSON values. */
export interface Mask {
  text(text: string): string
  value(value: unknown): unknown
}

/**
 * Returns a mask for secret values. It masks plain, URL-encoded, JSON-escaped, hex and base64 spellings. It
 * recognizes base64 even if the secret is part of a longer encoded string, as in Basic authentication. Secrets that
 * overlap or touch are masked as one.
 *
 * The mask guards against accidents, such as an error that quotes its request. Code that wants to leak a secret can
 * always encode it differently.
 */
export function maskOf(secrets: readonly unknown[]): Mask {
  const texts = secrets.flatMap(textsOf).filter((text) => text.length >= SECRET_CHARACTERS_MIN)
  const spellings = [...new Set(texts.flatMap(spellingsOf))]
  let find: ReturnType<typeof findAnyOf> | undefined // built on first use: many masks are never needed
  const text = (from: string): string => {
    find ??= findAnyOf(spellings)
    let masked = ''
    let at = 0
    for (const { start, end } of find(from)) {
      masked += from.slice(at, start) + MASK
      at = end
    }
    return masked + from.slice(at)
  }
  const value = (from: unknown): unknown => {
    if (typeof from === 'string') return text(from)
    if (typeof from === 'number') return texts.includes(String(from)) ? MASK : from
    if (Array.isArray(from)) return from.map(value)
    if (isExactNumber(from)) return texts.includes(from.rawJSON) ? MASK : from
    if (from === null || typeof from !== 'object') return from
    return Object.fromEntries(Object.entries(from).map(([key, inner]) => [text(key), value(inner)]))
  }
  return spellings.length === 0 ? { text: (from) => from, value: (from) => from } : { text, value }
}

/** Returns all strings and numbers in a value, as strings. Booleans are never masked. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, value.trim()]
  if (typeof value === 'number') return [String(value)]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : []
}

function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2]
    .map((offset) => base64Within(bytes, offset))
    .filter((text) => text.length >= BASE64_CHARACTERS_MIN)
  const encoded = encodeURIComponent(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/**
 * Returns the base64 characters that depend only on the secret, if the secret is part of a longer string. `offset` is
 * the secret's position in that string, modulo three bytes.
 */
function base64Within(bytes: Buffer, offset: number): string {
  const begin = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .slice(begin, end)
}
