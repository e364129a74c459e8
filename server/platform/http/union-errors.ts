import type { ErrorObject } from 'ajv'

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
}

/**
 * Returns the errors that speak of the shape that a client sent. A value that fits none of several shapes has an error
 * for each of them, but only that of the intended shape helps. Ajv reports the error of a union after those of its shapes.
 */
export function withoutOtherShapes(errors: readonly ErrorObject[]): ErrorObject[] {
  const last = errors.at(-1)
  if (last?.keyword !== 'anyOf' && last?.keyword !== 'oneOf') return [...errors]
  const inner = errors.filter(({ schemaPath }) => schemaPath.startsWith(`${last.schemaPath}/`))
  const before = errors.filter((error) => error !== last && !inner.includes(error))
  if (inner.length === 0) return [...errors]
  return [...withoutOtherShapes(before), ...reduce(last, inner)]
}

/** Returns the errors of the intended shape, or the union's own error if no shape is intended. */
function reduce(union: ErrorObject, inner: readonly ErrorObject[]): ErrorObject[] {
  const shapes = union.schema as Shape[]
  const all = shapes.flatMap((shape, index) => {
    const own = inner.filter(({ schemaPath }) => schemaPath.startsWith(`${union.schemaPath}/${index}/`))
    return own.length > 0 ? [{ shape, errors: withoutOtherShapes(own) }] : []
  })
  // A value without a tag is not of a shape that requires one, if another object needs none.
  const needsNone = all.some(({ shape }) => shape.type === 'object' && !lacksTag(shape, union.data))
  const failures = needsNone ? all.filter(({ shape }) => !lacksTag(shape, union.data)) : all
  const fitting = failures.filter(({ shape }) => fits(shape, union.data))
  const closer = fitting.filter(({ shape }) => fitsFirstItem(shape, union.data))
  const meant = closer.length > 0 ? closer : fitting
  if (meant.length === 0)
    return [
      mismatchOf(
        union,
        failures.flatMap(({ errors }) => errors),
      ),
    ]
  const [best] = meant.map(({ errors }) => errors).sort(byDistance)
  return best ?? [union]
}

/** Returns whether a value has the type of a shape, and the values by which its shapes are told apart. */
function fits(shape: Shape, value: unknown): boolean {
  if (shape.anyOf) return shape.anyOf.some((one) => fits(one, value))
  if (shape.type !== undefined && ![shape.type].flat().some((type) => isOf(type, value))) return false
  if (typeof value === 'string') return isAmong(shape, value)
  if (!isObject(value) || Array.isArray(value)) return true
  return Object.entries(shape.properties ?? {}).every(
    ([name, property]) => typeof value[name] !== 'string' || isAmong(property, value[name]),
  )
}

/** Returns whether a value lacks a property by which the shape is told apart from others. */
const lacksTag = ({ properties = {}, required = [] }: Shape, value: unknown): boolean =>
  isObject(value) &&
  required.some((name) => value[name] === undefined && properties[name]?.enum !== undefined)

/** Returns whether the first item of a list has the type that a shape has for its items. */
const fitsFirstItem = ({ items }: Shape, value: unknown): boolean =>
  !Array.isArray(value) ||
  items?.type === undefined ||
  [items.type].flat().some((type) => isOf(type === 'integer' ? 'number' : type, value[0]))

const isAmong = (shape: Shape, value: string): boolean =>
  (shape.enum === undefined || shape.enum.includes(value)) &&
  (shape.const === undefined || shape.const === value)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value) && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

/** Orders errors by how far the value matches, and an error of a type last. */
function byDistance([one]: readonly ErrorObject[], [other]: readonly ErrorObject[]): number {
  const [path, otherPath] = [placesOf(one), placesOf(other)]
  for (let at = 0; at < Math.min(path.length, otherPath.length); at++) {
    const [mine = '', its = ''] = [path[at], otherPath[at]]
    if (mine === its) continue
    const difference = Number(its) - Number(mine)
    return Number.isNaN(difference) ? 0 : difference
  }
  return otherPath.length - path.length || Number(one?.keyword === 'type') - Number(other?.keyword === 'type')
}

const placesOf = (error: ErrorObject | undefined): string[] => (error?.instancePath ?? '').split('/')

/** Returns one error that names what all shapes accept. */
function mismatchOf(union: ErrorObject, errors: readonly ErrorObject[]): ErrorObject {
  const ofUnion = errors.filter(({ instancePath }) => instancePath === union.instancePath)
  const types = ofUnion.flatMap(({ keyword, params }) =>
    keyword === 'type' ? (params['type'] as string) : [],
  )
  const choices = errors.filter(({ keyword, data }) => keyword === 'enum' && typeof data === 'string')
  const [first] = choices
  const isOneField = choices.every(({ instancePath }) => instancePath === first?.instancePath)
  const allowedValues = [...new Set(choices.flatMap(({ params }) => params['allowedValues'] as unknown[]))]
  if (first && isOneField) return { ...first, params: { allowedValues } }
  const unique = [...new Set(types.flat())].filter((type) => type !== 'null')
  return unique.length > 0 ? { ...union, keyword: 'type', params: { type: unique } } : union
}
