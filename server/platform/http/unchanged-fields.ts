import { isDeepStrictEqual } from 'node:util'
import { fail } from '#errors'
import type { Route } from './define-route.ts'
import { isRecord } from './is-record.ts'
import type { Validator } from './validation.ts'

type Fields = Record<string, unknown>
interface ObjectSchema {
  properties?: Record<string, ObjectSchema>
}

/**
 * Removes the read-only fields from the body of an update, so that a client can send back a record as it has read it.
 * `readCurrent` receives the other fields and returns the record as clients read it. It is called only if there are
 * such fields and the others are valid. Throws request.read_only if a read-only field differs from the record. Fields
 * that the record does not have remain in the body.
 */
export async function dropUnchanged(
  { body: schema }: Pick<Route, 'body'>,
  isValid: Validator,
  body: unknown,
  readCurrent: (writable: Fields) => Promise<object>,
): Promise<void> {
  if (!isRecord(body) || !schema || !hasReadOnly(body, schema)) return
  const writable = pickWritable(body, schema)
  if (!isValid(writable)) return
  // Serializes the record as the response would be.
  drop(body, schema, JSON.parse(JSON.stringify(await readCurrent(writable))) as Fields, '')
}

function hasReadOnly(body: Fields, { properties = {} }: ObjectSchema): boolean {
  return Object.entries(body).some(([name, value]) => {
    const field = properties[name]
    return !field || (isRecord(value) && field.properties !== undefined && hasReadOnly(value, field))
  })
}

function pickWritable(body: Fields, { properties = {} }: ObjectSchema): Fields {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const field = properties[name]
      if (!field) return []
      return [[name, isRecord(value) && field.properties ? pickWritable(value, field) : value]]
    }),
  )
}

function drop(body: Fields, { properties = {} }: ObjectSchema, current: Fields, path: string): void {
  for (const [name, value] of Object.entries(body)) {
    const [field, now] = [properties[name], current[name]]
    if (!field && Object.hasOwn(current, name)) {
      if (!isDeepStrictEqual(unsigned(value), unsigned(now)))
        throw fail('request.read_only', { field: path + name })
      delete body[name]
    } else if (field?.properties && isRecord(value) && isRecord(now))
      drop(value, field, now, `${path}${name}.`)
  }
}

/** Removes the queries of URLs in fields named `url`, because each read signs the URLs of files again. */
function unsigned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unsigned)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      name === 'url' && typeof inner === 'string' ? [name, inner.split('?', 1)[0]] : [name, unsigned(inner)],
    ),
  )
}
