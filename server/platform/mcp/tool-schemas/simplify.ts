import { type References, referenceOf } from './references.ts'
import { isObject, isText, listOf, type Schema } from './schema.ts'
import { typesOf } from './types.ts'
import type { Work } from './work.ts'

/** A schema without references and `allOf`. */
export interface Simple {
  schema: Schema
  /** The values of `anyOf` and `oneOf`. A value must fit one alternative of each. */
  unions: unknown[][]
  /** The references on the way to the schema. */
  path: readonly string[]
}

/** Replaces references and combinators by what they say. */
export class Simplifier {
  readonly #references: References
  readonly #nameOf: (property: string) => string
  readonly #work: Work

  /** `nameOf` returns the name of a property that the model sees. */
  constructor(references: References, nameOf: (property: string) => string, work: Work) {
    this.#references = references
    this.#nameOf = nameOf
    this.#work = work
  }

  /** Returns the schema without references and `allOf`. */
  simplify(given: unknown, path: readonly string[]): Simple {
    const { allOf, anyOf, oneOf, ...schema } = isObject(given) ? given : {}
    this.#work.step(path.length / PATH_SHARE + sizeOf(schema))
    const unions = [anyOf, oneOf].map(listOf).filter((union) => union.length > 0)
    const reference = referenceOf(schema)
    const target = reference === undefined ? null : this.#references.find(reference, path)
    const parts = listOf(allOf).map((part) => this.simplify(part, path))
    if (reference !== undefined && target !== null) parts.unshift(this.simplify(target, [...path, reference]))
    const own = { schema: withConditional(target ? withoutReference(schema) : schema), unions, path }
    return this.all([own, ...parts])
  }

  /** Joins schemas that all hold. Where they contradict each other, the first one wins. */
  all(parts: readonly Simple[]): Simple {
    const [first, ...others] = parts
    if (first === undefined || others.length === 0) return first ?? { schema: {}, unions: [], path: [] }
    const schemas = parts.map(({ schema }) => schema)
    const descriptions = new Set(schemas.map(({ description }) => description).filter(isText))
    const items = schemas.map((schema) => schema['items']).filter(isObject)
    const openness = new Set(schemas.map(({ additionalProperties }) => additionalProperties))
    return {
      schema: {
        ...Object.fromEntries(schemas.toReversed().flatMap((schema) => Object.entries(schema))),
        ...this.#propertiesOf(schemas, 'allOf'),
        ...(items.length > 1 && { items: { allOf: items } }),
        ...this.#commonValues(schemas),
        ...(descriptions.size > 0 && { description: [...descriptions].join(' ') }),
        // A schema that closes only its own properties would exclude those of the others.
        ...(openness.size > 1 && { additionalProperties: undefined }),
      },
      unions: parts.flatMap((part) => part.unions),
      path: [...new Set(parts.flatMap((part) => part.path))],
    }
  }

  /** Turns the alternatives of an object into optional properties. Returns null if the value cannot be an object. */
  fold({ unions, ...rest }: Simple): Simple | null {
    const types = typesOf(rest.schema)
    if (types.length > 0 && !types.includes('object')) return null
    const folded = unions.map((union) => {
      const alternatives = union
        .filter((one) => one !== false)
        .map((one) => this.fold(this.simplify(one, rest.path)))
        .filter((one) => one !== null)
      return alternatives.length === 0 ? null : this.#either(alternatives)
    })
    const usable = folded.filter((one) => one !== null)
    return usable.length < folded.length ? null : this.all([{ ...rest, unions: [] }, ...usable])
  }

  /** Joins the alternatives of an object: every property is possible, and those that all require are required. */
  #either(alternatives: readonly Simple[]): Simple {
    const schemas = alternatives.map(({ schema }) => schema)
    const needs = schemas.map(({ required }) => new Set(listOf(required).filter(isText)))
    const [first = new Set<string>(), ...others] = needs
    const sets = new Set(needs.map((names) => [...names].map(this.#nameOf).join(', ') || 'none of these'))
    return {
      schema: {
        ...this.#propertiesOf(schemas, 'anyOf'),
        required: [...first].filter((name) => others.every((names) => names.has(name))),
        ...(sets.size > 1 && {
          description: `Provide the properties of one of these sets: ${[...sets].join('; ')}.`,
        }),
      },
      unions: [],
      path: [...new Set(alternatives.flatMap(({ path }) => path))],
    }
  }

  /** Joins the properties of schemas. A property of several schemas must fit all, or any, of what they say about it. */
  #propertiesOf(schemas: readonly Schema[], how: 'allOf' | 'anyOf'): Schema {
    const found = new Map<string, unknown[]>()
    const objects = schemas.map(({ properties }) => properties).filter(isObject)
    for (const properties of objects) {
      const entries = Object.entries(properties)
      this.#work.step(entries.length)
      for (const [name, property] of entries) {
        const known = found.get(name)
        if (known) known.push(property)
        else found.set(name, [property])
      }
    }
    const properties = [...found].map(([name, all]): [string, unknown] => {
      const different = this.#work.distinct(all)
      return [name, different.length === 1 ? different[0] : { [how]: different }]
    })
    const required = schemas.flatMap((schema) => listOf(schema['required']))
    return {
      ...(objects.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
    }
  }

  /** Returns the values that all lists of values have in common, unless they have none. */
  #commonValues(schemas: readonly Schema[]): Schema {
    const [first = [], ...others] = schemas
      .map((schema) => listOf(schema['enum']))
      .filter(({ length }) => length > 0)
    if (others.length === 0) return {}
    const written = others.map((list) => new Set(list.map((value) => this.#work.write(value))))
    const shared = first.filter((value) => written.every((list) => list.has(this.#work.write(value))))
    return { enum: shared.length > 0 ? shared : first }
  }
}

/** References are compared much faster than schemas are copied. */
const PATH_SHARE = 64

/** Returns the number of entries that each step visits. */
function sizeOf(schema: Schema): number {
  const { properties, required, enum: values } = schema
  const named = isObject(properties) ? Object.keys(properties).length : 0
  return Object.keys(schema).length + named + listOf(required).length + listOf(values).length
}

const withoutReference = ({ $ref, $dynamicRef, $recursiveRef, ...schema }: Schema): Schema => schema

/** Keywords whose schemas hold only under a condition: their properties are optional. */
const CONDITIONAL = ['then', 'else']
const CONDITIONAL_BY_NAME = ['dependentSchemas', 'dependencies']

/** Adds the properties that an object may have under a condition, and those that draft 3 marks as required. */
function withConditional(schema: Schema): Schema {
  const { properties, required } = schema
  const own = isObject(properties) ? properties : {}
  const conditional = [
    ...CONDITIONAL.map((keyword) => schema[keyword]),
    ...CONDITIONAL_BY_NAME.flatMap((keyword) =>
      isObject(schema[keyword]) ? Object.values(schema[keyword]) : [],
    ),
  ].flatMap((one) => (isObject(one) && isObject(one['properties']) ? Object.entries(one['properties']) : []))
  const marked = Object.keys(own).filter((name) => isObject(own[name]) && own[name]['required'] === true)
  if (conditional.length === 0 && marked.length === 0) return schema
  return {
    ...schema,
    properties: Object.fromEntries([...conditional, ...Object.entries(own)]),
    required: [...listOf(required), ...marked],
  }
}
