import { storable } from './reply-text.ts'

/** What is nested deeper is taken for something that holds itself. */
const NESTING_MAX = 64

/** JSON text of a value, or as much of it as was written. */
export interface WrittenJson {
  text: string
  isCut: boolean
}

/**
 * Writes any value as JSON.stringify does, but stops where the text is long enough, so that it costs no more than what
 * it writes; and its strings can be stored. Null for what is no JSON: what holds itself, a bigint, a function, nothing
 * at all, or what throws when it is looked at.
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

  /** Writes `before`, and a value behind it; false and nothing for what JSON has no word for. */
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

/** What a value says that it is as JSON: a date does. */
function ownJsonOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value) : value
}

/** One after the other, so that no more are made than are written. */
function* entriesOf(value: object): Generator<[string, unknown]> {
  for (const name in value) if (Object.hasOwn(value, name)) yield [name, value[name as keyof typeof value]]
}
