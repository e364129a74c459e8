import { isExactNumber } from '#database/exact-json.ts'
import { storable } from './reply-text.ts'

/** Maximum nesting depth. Deeper values are treated as circular references. */
const NESTING_MAX = 64

/** The JSON of a value. If `isCut` is true, `text` is only the beginning of the JSON. */
export interface WrittenJson {
  text: string
  isCut: boolean
}

/**
 * Writes a value like JSON.stringify, but stops at `charactersMax`, so that a large value costs no more than its
 * written part. Replaces characters that PostgreSQL cannot store. Returns null for values that JSON cannot represent,
 * such as circular references, bigint, functions and undefined, and for values that throw when read.
 */
export function writeJson(value: unknown, charactersMax: number): WrittenJson | null {
  const writing = new JsonWriter(charactersMax)
  try {
    return writing.write('', value, 0) ? { text: writing.text, isCut: false } : null
  } catch (reason) {
    return reason === FULL ? { text: writing.text.slice(0, charactersMax), isCut: true } : null
  }
}

const FULL = Symbol('full')

class JsonWriter {
  text = ''
  readonly #charactersMax: number

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  /** Writes `before` and the value. Returns false and writes nothing if JSON omits the value. */
  write(before: string, given: unknown, depth: number): boolean {
    const value = ownJsonOf(given)
    if (isExactNumber(value)) {
      this.#add(before + value.rawJSON)
      return true
    }
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return false
    if (typeof value === 'bigint' || depth > NESTING_MAX) throw new TypeError('no JSON')
    this.#add(before)
    if (typeof value === 'string') this.#addString(value)
    else if (typeof value === 'number') this.#add(Number.isFinite(value) ? String(value) : 'null')
    else if (value === null || typeof value === 'boolean') this.#add(String(value))
    else if (Array.isArray(value)) this.#addArray(value, depth)
    else this.#addObject(value, depth)
    return true
  }

  #addArray(values: unknown[], depth: number): void {
    this.#add('[')
    for (let index = 0; index < values.length; index++) {
      const comma = index > 0 ? ',' : ''
      if (!this.write(comma, values[index], depth + 1)) this.#add(`${comma}null`)
    }
    this.#add(']')
  }

  #addObject(value: object, depth: number): void {
    this.#add('{')
    let comma = ''
    for (const [name, part] of entriesOf(value)) {
      const key = JSON.stringify(storable(name.slice(0, this.#charactersMax)))
      if (this.write(`${comma}${key}:`, part, depth + 1)) comma = ','
    }
    this.#add('}')
  }

  #addString(text: string): void {
    this.#add(JSON.stringify(storable(text.slice(0, this.#charactersMax - this.text.length + 1))))
  }

  #add(text: string): void {
    this.text += text
    if (this.text.length > this.#charactersMax) throw FULL
  }
}

/**
 * Returns the result of the value's `toJSON` method, such as a Date's. Returns the value itself if it has no such
 * method.
 */
function ownJsonOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value) : value
}

/** Yields entries one at a time, so that entries beyond the limit are never read. */
function* entriesOf(value: object): Generator<[string, unknown]> {
  for (const name in value) if (Object.hasOwn(value, name)) yield [name, value[name as keyof typeof value]]
}
