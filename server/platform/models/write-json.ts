import { storable } from './reply-text.ts'

/** Deeper nesting is treated as a circular reference. */
const NESTING_MAX = 64

/** The JSON text of a value, or the part of it that was written. */
export interface WrittenJson {
  text: string
  isCut: boolean
}

/**
 * Writes a value as JSON.stringify does, but stops at `charactersMax`, so a large value costs no more than its written
 * part. Strings are made storable. Returns null for values without JSON: circular references, bigint, functions,
 * undefined, or values that throw when read.
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

  /** Writes `before` and then the value. Writes nothing and returns false for values that JSON omits. */
  write(before: string, given: unknown, depth: number): boolean {
    const value = ownJsonOf(given)
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

/** Returns the result of `toJSON` where a value has one, as dates do. */
function ownJsonOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value) : value
}

/** A generator, so that only the entries that are written are created. */
function* entriesOf(value: object): Generator<[string, unknown]> {
  for (const name in value) if (Object.hasOwn(value, name)) yield [name, value[name as keyof typeof value]]
}
