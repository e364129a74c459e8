import { isObject, listOf, type Schema } from './schema.ts'

/**
 * Names that all providers accept: Anthropic demands at most 64 letters, digits and _.-, and Google neither a dot nor
 * a hyphen, nor a digit first. `__proto__` is never used, because assigning it has side effects.
 */
const ACCEPTED = /^(?!__proto__$)[a-zA-Z_][a-zA-Z0-9_]{0,63}$/
const NAME_CHARACTERS_MAX = 64

/** Gives the properties of one tool names that all providers accept, and translates them back. */
export class PropertyNames {
  readonly #taken: ReadonlySet<string>
  readonly #accepted = new Map<string, string>()
  readonly #own = new Map<string, string>()
  /** The next number of each base, so that many names of one base take no longer than as many of different ones. */
  readonly #next = new Map<string, number>()

  /** `taken` are all names in the schema. A new name is none of them. */
  constructor(taken: ReadonlySet<string>) {
    this.#taken = taken
  }

  /** Returns the accepted name of a property: the same wherever the property's own name occurs. */
  nameOf(own: string): string {
    if (ACCEPTED.test(own)) return own
    const known = this.#accepted.get(own)
    if (known !== undefined) return known
    const words = own
      .slice(0, 2 * NAME_CHARACTERS_MAX)
      .replace(/[^a-zA-Z0-9]+/g, '_')
      .replace(/^_|_$/g, '')
    const base = /^[a-zA-Z]/.test(words) ? words : `_${words}`
    let number = this.#next.get(base) ?? 1
    let name: string
    do {
      const end = number === 1 ? '' : `_${number}`
      name = base.slice(0, NAME_CHARACTERS_MAX - end.length) + end
      number += 1
    } while (this.#taken.has(name) || this.#own.has(name))
    this.#next.set(base, number)
    this.#accepted.set(own, name)
    this.#own.set(name, own)
    return name
  }

  /** Returns the input with the tool's own names, at the places where `schema` describes renamed properties. */
  restore(input: Schema, schema: Schema): Schema {
    return this.#own.size === 0 ? input : (this.#restored(input, [schema]) as Schema)
  }

  #restored(value: unknown, described: readonly unknown[]): unknown {
    const schemas = described.flatMap(alternativesOf)
    if (Array.isArray(value)) {
      const items = schemas.map((schema) => schema['items'])
      return value.map((item) => this.#restored(item, items))
    }
    if (!isObject(value) || schemas.length === 0) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const properties = schemas.flatMap(({ properties }) =>
          isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
        )
        return properties.length === 0
          ? [name, inner]
          : [this.#own.get(name) ?? name, this.#restored(inner, properties)]
      }),
    )
  }
}

const alternativesOf = (schema: unknown): Schema[] =>
  isObject(schema) ? [schema, ...listOf(schema['anyOf']).flatMap(alternativesOf)] : []
