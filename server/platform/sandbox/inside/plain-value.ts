/*
 * Runs in Deno. Converts what a JavaScript function returns into data that JSON can represent. JSON.stringify itself would
 * write collections, errors and generators as `{}`, and numbers that are not finite as null.
 */
import { RESULT_BYTES_MAX } from './pipe.ts'

/** Maximum items of one generator, which may have no end. */
const ITEMS_MAX = 100_000
/** Maximum nesting depth. The server accepts no more (NESTING_MAX in models/write-json.ts). */
const LEVELS_MAX = 64
/** Decimal digits that every JavaScript number represents exactly. 1e400 is short, but no number of JavaScript. */
const EXACT_DIGITS = 15

const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}

// JSON.stringify then also accepts these numbers in the code itself, such as in the body of a request.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint) {
    return rawJSON(this.toString())
  },
  configurable: true,
  writable: true,
})

/** Thrown while the data is still being converted, because a generator may have no end. */
export class ResultTooLarge extends Error {}

/**
 * Returns the value as data. Waits for promises, and runs generators to their end. Throws a TypeError for what is not
 * data, and ResultTooLarge.
 */
export async function plainOf(value: unknown): Promise<unknown> {
  const awaited = await value
  const conversion = new Conversion()
  return isObject(awaited) ? conversion.object(awaited, []) : conversion.scalar(awaited)
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object'

class Conversion {
  #characters = 0

  scalar(value: unknown): unknown {
    this.#count(typeof value === 'string' ? value.length : 1)
    if (typeof value === 'function') throw notData(value)
    if (typeof value === 'symbol') return String(value)
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  }

  async object(value: object, above: readonly object[]): Promise<unknown> {
    if (isRawJSON(value)) return value
    if (above.includes(value))
      throw new TypeError('The result contains itself. Return data without circular references.')
    if (above.length === LEVELS_MAX)
      throw new TypeError(`The result has more than ${LEVELS_MAX} levels. Return data with fewer levels.`)
    this.#count(1)
    return this.#read(value, [...above, value])
  }

  async #any(value: unknown, above: readonly object[]): Promise<unknown> {
    return isObject(value) ? this.object(value, above) : this.scalar(value)
  }

  async #read(value: object, above: readonly object[]): Promise<unknown> {
    const own = value as { toJSON?: unknown; then?: unknown; next?: unknown }
    if (value instanceof Date && Number.isNaN(value.getTime())) return String(value)
    const json = typeof own.toJSON === 'function' ? own.toJSON('') : value
    if (json !== value) return this.#any(json, above)
    if (typeof own.then === 'function') return this.#any(await value, above)
    if (Array.isArray(value)) return this.#list(value, above)
    if (value instanceof Map) return this.#map(value, above)
    if (value instanceof URLSearchParams || value instanceof Headers || value instanceof FormData)
      return this.#fields([...(value as Iterable<[string, unknown]>)], above)
    if (value instanceof Error) return this.#error(value, above)
    if (value instanceof RegExp) return String(value)
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer)
      return this.#list(new Uint8Array(value), above)
    if (value instanceof DataView)
      return this.#list(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), above)
    if (value instanceof Blob) return this.scalar(await readBlob(value))
    if (value instanceof Response) return this.#response(value, above)
    if (value instanceof Request) return this.#request(value, above)
    if (value instanceof Number || value instanceof String || value instanceof Boolean)
      return this.scalar(value.valueOf())
    if (Symbol.iterator in value) return this.#list(value as Iterable<unknown>, above)
    if (Symbol.asyncIterator in value) return this.#list(value as AsyncIterable<unknown>, above)
    if (typeof own.next === 'function') return this.#list(stepsOf(own as Steps), above)
    return this.#instance(value, above)
  }

  async #list(
    values: Iterable<unknown> | AsyncIterable<unknown>,
    above: readonly object[],
  ): Promise<unknown[]> {
    const isEndless = !Array.isArray(values) && !ArrayBuffer.isView(values) && !(values instanceof Set)
    const items: unknown[] = []
    for await (const value of values) {
      if (isEndless && items.length === ITEMS_MAX)
        throw new RangeError(`The result has more than ${ITEMS_MAX} items. Return less data.`)
      items.push(isObject(value) ? await this.object(value, above) : this.scalar(value))
    }
    return items
  }

  /** Returns an object if the keys are strings or numbers that differ as text, and else a list of entries. */
  #map(map: ReadonlyMap<unknown, unknown>, above: readonly object[]): Promise<unknown> {
    const entries = [...map]
    const names = entries.flatMap(([key]) => (isName(key) ? [String(key)] : []))
    return new Set(names).size === entries.length
      ? this.#entries(
          entries.map(([key, value]) => [String(key), value]),
          above,
        )
      : this.#list(entries, above)
  }

  /** Returns an object with a list for each name that occurs several times. */
  #fields(fields: readonly [string, unknown][], above: readonly object[]): Promise<unknown> {
    const byName = Map.groupBy(fields, ([name]) => name)
    return this.#entries(
      [...byName].map(([name, same]) => [
        name,
        same.length === 1 ? same[0]?.[1] : same.map(([, part]) => part),
      ]),
      above,
    )
  }

  async #entries(entries: readonly [string, unknown][], above: readonly object[]): Promise<object> {
    const object: Record<string, unknown> = Object.create(null)
    for (const [name, value] of entries) {
      this.#count(name.length)
      object[name] = await this.#any(value, above)
    }
    return object
  }

  #error(error: Error, above: readonly object[]): Promise<unknown> {
    const { message, cause } = error
    // Classes of errors rarely set their name.
    const name = error.name === 'Error' ? classOf(error) : error.name
    const more = error instanceof AggregateError ? { errors: error.errors } : {}
    const parts = { ...{ name, message }, ...(cause !== undefined && { cause }), ...more, ...error }
    return this.#entries(dataOf(Object.entries(parts)), above)
  }

  /** Returns the JSON or the text of a response that the code did not read. */
  async #response(response: Response, above: readonly object[]): Promise<unknown> {
    const { status, ok } = response
    return this.#entries(Object.entries({ status, ok, body: await readBody(response) }), above)
  }

  async #request(request: Request, above: readonly object[]): Promise<unknown> {
    const { method, url, headers } = request
    return this.#entries(Object.entries({ method, url, headers, body: await readBody(request) }), above)
  }

  /**
   * Returns the properties of an object. Leaves functions out, as JSON does. Objects that hide their data have a text or
   * getters. Throws a TypeError if nothing remains, because `{}` would look like an object without data.
   */
  async #instance(value: object, above: readonly object[]): Promise<unknown> {
    const properties = propertiesOf(value)
    const data = dataOf(properties)
    const prototype = Object.getPrototypeOf(value)
    const isPlain = prototype === null || prototype === Object.prototype
    if (data.length > 0 || (isPlain && properties.length === 0)) return this.#entries(data, above)
    if (isPlain) throw notData(properties[0]?.[1])
    const text = value.toString === Object.prototype.toString ? '' : String(value)
    if (text !== '' && !/^\[object .*\]$/.test(text)) return this.scalar(text)
    const read = dataOf(gettersOf(value).map((name) => [name, Reflect.get(value, name)]))
    if (read.length > 0) return this.#entries(read, above)
    throw new TypeError(
      `The result contains an object of the class ${classOf(value)}, which shows no data. Return its data, or give it a method toJSON.`,
    )
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > RESULT_BYTES_MAX) throw new ResultTooLarge()
  }
}

const isName = (key: unknown): boolean =>
  typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint'

const dataOf = (properties: readonly [string, unknown][]): [string, unknown][] =>
  properties.filter((property): property is [string, unknown] => typeof property[1] !== 'function')

/** Returns the own properties of an object. An object that has none may inherit them from another one. */
function propertiesOf(value: object): [string, unknown][] {
  const own = Object.entries(value)
  if (own.length > 0) return own
  const inherited: [string, unknown][] = []
  for (const name in value) inherited.push([name, Reflect.get(value, name)])
  return inherited
}

/** Returns the names of the getters that an object inherits from its classes. */
function gettersOf(value: object): string[] {
  const names = new Set<string>()
  for (
    let prototype = Object.getPrototypeOf(value);
    prototype !== null && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype)
  )
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (get !== undefined) names.add(name)
  return [...names]
}

function classOf(value: object): string {
  const { constructor: found } = value
  return (typeof found === 'function' && found.name) || Object.prototype.toString.call(value).slice(8, -1)
}

function notData(found: unknown): TypeError {
  const { name } = found as { name?: string }
  return new TypeError(
    `The result contains the function ${name || '(without a name)'}, which is not data. Call it, and return its result.`,
  )
}

interface Steps {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>
}

/** Yields the values of an iterator that is not iterable itself. */
async function* stepsOf(iterator: Steps): AsyncGenerator<unknown> {
  for (;;) {
    const step = await iterator.next()
    if (step.done) return
    yield step.value
  }
}

/** Returns the text of a body or, if it is JSON, its value. Returns null if the code has read the body. */
async function readBody(message: Request | Response): Promise<unknown> {
  if (message.bodyUsed) return null
  const text = await message.text()
  try {
    return JSON.parse(text, withDigits)
  } catch {
    return text
  }
}

/** Keeps the digits of numbers that JavaScript might round. */
function withDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = '' } = context ?? {}
  return typeof value === 'number' && (source.length > EXACT_DIGITS || !Number.isFinite(value))
    ? rawJSON(source)
    : value
}

/** Returns the text of a blob or, if it is none, its bytes in base64. */
async function readBlob(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return (bytes as unknown as { toBase64(): string }).toBase64()
  }
}
