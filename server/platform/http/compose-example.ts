import { exampleValue } from './example-records.ts'

/** The parts of a JSON Schema that determine an example. */
interface Schema {
  title?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: object
  additionalProperties?: boolean | object
}

/**
 * Composes an example of a schema from the values in example-values.ts. Throws if a string or number has no value
 * there. Every response in the API reference therefore has an example.
 */
export const exampleOf = (schema: object): unknown => compose(schema, { component: '', field: '' })

interface Place {
  component: string
  field: string
}

function compose(schema: Schema, outer: Place): unknown {
  const place = { ...outer, component: schema.title ?? outer.component }
  const { value } = known(schema, outer)
  if (value !== undefined) return completed(schema, value, place)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choice = schema.anyOf?.find(({ type }) => type !== 'null')
  if (choice) return compose(choice, place)
  if (schema.properties) return composeObject(schema.properties, place)
  if (schema.type === 'array') return [compose(schema.items ?? {}, place)]
  if (schema.type === 'boolean') return true
  if (schema.type === 'null') return null
  if (schema.type === 'object') return {}
  throw new Error(`No example for ${place.component}.${place.field}: add a value to example-values.ts`)
}

/** Completes an example list of records: adds the fields that its records omit. */
function completed({ items }: Schema, value: unknown, { component }: Place): unknown {
  const { properties } = items ?? {}
  if (properties === undefined || !Array.isArray(value)) return value
  const place = { component: items?.title ?? component, field: '' }
  return value.map((record: Record<string, unknown>) => composeObject(properties, place, record))
}

function composeObject(
  properties: Record<string, Schema>,
  { component }: Place,
  given: Record<string, unknown> = {},
): object {
  const fields = Object.entries(properties)
    .filter(([field]) => Object.hasOwn(given, field) || !isLeftOut(component, field))
    .map(([field, schema]) => [
      field,
      Object.hasOwn(given, field) ? given[field] : compose(schema, { component, field }),
    ])
  return { ...Object.fromEntries(fields), ...given }
}

const isLeftOut = (component: string, field: string): boolean => {
  const { found, value } = exampleValue(component, field)
  return found && value === undefined
}

/**
 * Returns the example value of a field if it has the schema's type. Fields with the same name can have different
 * types.
 */
function known(schema: Schema, { component, field }: Place): { value?: unknown } {
  const { value } = exampleValue(component, field)
  return value !== undefined && isOf(schema, value) ? { value } : {}
}

function isOf(schema: Schema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((choice) => isOf(choice, value))
  if (schema.const !== undefined) return schema.const === value
  if (schema.enum) return schema.enum.includes(value)
  if (schema.type === 'array')
    return Array.isArray(value) && value.every((item) => isOf(schema.items ?? {}, item))
  if (schema.properties)
    return (
      typeof value === 'object' && isObjectOf(schema.properties, value, Boolean(schema.additionalProperties))
    )
  if (schema.type === undefined) return true
  return [schema.type].flat().includes(typeOf(schema, value))
}

const isObjectOf = (properties: Record<string, Schema>, value: object | null, isOpen: boolean): boolean =>
  value !== null &&
  Object.entries(value).every(([field, inner]) => {
    const schema = properties[field]
    return schema === undefined ? isOpen : inner === undefined || isOf(schema, inner)
  })

function typeOf({ type }: Schema, value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'number' && type === 'integer' && Number.isInteger(value) ? 'integer' : typeof value
}
