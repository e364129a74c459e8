import { keywordsOf, remarksOf, remarksOnAny } from './keywords.ts'
import { isObject, isText, listOf, type Schema } from './schema.ts'
import type { Simple, Simplifier } from './simplify.ts'
import { type Type, typesOf } from './types.ts'
import type { Work } from './work.ts'

/** Writes schemas with only the keywords that all providers accept. */
export class Writer {
  readonly #simplifier: Simplifier
  readonly #nameOf: (property: string) => string
  readonly #work: Work
  readonly #levelsMax: number

  constructor(simplifier: Simplifier, nameOf: (property: string) => string, work: Work, levelsMax: number) {
    this.#simplifier = simplifier
    this.#nameOf = nameOf
    this.#work = work
    this.#levelsMax = levelsMax
  }

  /** Writes the schema of all arguments, whose alternatives are folded. */
  writeRoot(root: Simple): Schema {
    const open = { properties: {}, ...root.schema }
    return withWords(this.#writeType('object', { ...root, schema: open }, 0), wordsOf(root.schema))
  }

  #write(given: unknown, path: readonly string[], level: number): Schema {
    return this.#writeSimple(this.#simplifier.simplify(given, path), level)
  }

  #writeSimple(simple: Simple, level: number): Schema {
    const { schema, unions, path } = simple
    const [union, ...others] = level < this.#levelsMax ? unions : []
    if (union === undefined) return this.#writePlain(simple, level)
    const folded = isObject(schema['properties']) ? this.#simplifier.fold(simple) : null
    if (folded !== null) return this.#writePlain(folded, level)
    const { title, description, ...shared } = schema
    const kinds = union
      .filter((one) => one !== false)
      .map((one) => {
        const alternative = this.#simplifier.simplify(one, path)
        const parts = [{ schema: shared, unions: others, path }, alternative]
        return this.#writeSimple(this.#simplifier.all(parts), level + 1)
      })
    return this.#anyOf(kinds, wordsOf({ title, description }))
  }

  /** Writes a schema without unions, as one schema for each of its types: providers refuse lists of types. */
  #writePlain(simple: Simple, level: number): Schema {
    const kinds = typesOf(simple.schema).map((type) => this.#writeType(type, simple, level))
    return this.#anyOf(kinds, wordsOf(simple.schema))
  }

  #writeType(type: Type, { schema: given, path }: Simple, level: number): Schema {
    const isDeep = level >= this.#levelsMax
    const schema = isDeep ? withoutParts(given) : given
    const description = remarksOf(type, schema).join(' ')
    const written: Schema = { type, ...(description !== '' && { description }), ...keywordsOf(type, schema) }
    this.#work.written(written)
    if (type === 'object') return { ...written, ...this.#objectOf(schema, path, level) }
    if (type !== 'array') return written
    return { ...written, items: isDeep ? this.#anyOf([], []) : this.#itemsOf(schema, path, level) }
  }

  /** Returns the schema of all items. A tuple's items may be any of its schemas. */
  #itemsOf({ items, prefixItems, additionalItems }: Schema, path: readonly string[], level: number): Schema {
    const tuple = [...listOf(prefixItems), ...listOf(items)]
    if (tuple.length === 0) return this.#write(items, path, level + 1)
    const rest = Array.isArray(items) ? additionalItems : items
    return this.#write({ anyOf: isObject(rest) ? [...tuple, rest] : tuple }, path, level + 1)
  }

  #objectOf({ properties, required }: Schema, path: readonly string[], level: number): Schema {
    const entries = Object.entries(isObject(properties) ? properties : {}).filter(([, one]) => one !== false)
    const known = new Set(entries.map(([name]) => name))
    const needed = new Set(listOf(required).filter((name) => isText(name) && known.has(name)) as string[])
    return {
      properties: Object.fromEntries(
        entries.map(([own, property]) => {
          const name = this.#nameOf(own)
          return [name, withOwnName(this.#write(property, path, level + 1), name, own)]
        }),
      ),
      ...(needed.size > 0 && { required: [...needed].map(this.#nameOf) }),
    }
  }

  /**
   * Writes alternatives. Google refuses any keyword beside `anyOf`, so the words are a part of the first alternative.
   */
  #anyOf(kinds: readonly Schema[], words: readonly string[]): Schema {
    const flat = kinds.flatMap((kind) =>
      Array.isArray(kind['anyOf']) ? (kind['anyOf'] as Schema[]) : [kind],
    )
    const different = this.#work.distinct(flat.length === 0 ? ANYTHING : flat)
    const isList = different.length > 1 && different.every(isListOfTexts)
    const [first = {}, ...others] = isList
      ? [{ type: 'string', enum: [...new Set(different.flatMap((kind) => listOf(kind['enum'])))] }]
      : different
    const described = withWords(first, words)
    this.#work.written(flat.length === 0 ? [words, ANYTHING] : words)
    return others.length === 0 ? described : { anyOf: [described, ...others] }
  }
}

/** The alternatives of a value of any type. Google demands a type, and OpenAI `items`. */
const ANYTHING: readonly Schema[] = [
  { type: 'string' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'object', properties: {} },
  { type: 'array', items: { type: 'string' } },
]

/** Returns a schema without the schemas in it. */
const withoutParts = ({ properties, required, items, prefixItems, ...schema }: Schema): Schema => schema

const wordsOf = (schema: Schema): string[] => [
  ...[schema['description'] ?? schema['title']].filter(isText),
  ...remarksOnAny(schema),
]

const isListOfTexts = (schema: Schema): boolean =>
  Object.keys(schema).every((keyword) => keyword === 'type' || keyword === 'enum') &&
  schema['enum'] !== undefined

const withWords = (schema: Schema, words: readonly string[]): Schema => {
  const own = [...new Set([...words, schema['description']].filter(isText))]
  return own.length === 0 ? schema : { ...schema, description: own.join(' ') }
}

/** Names a renamed property as descriptions and errors of the server do. */
function withOwnName(schema: Schema, name: string, own: string): Schema {
  if (name === own) return schema
  const words = [`The server's name: ${JSON.stringify(own)}.`]
  const [first, ...others] = listOf(schema['anyOf']) as Schema[]
  return first === undefined ? withWords(schema, words) : { anyOf: [withWords(first, words), ...others] }
}
