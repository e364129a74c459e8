import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { fail } from '#errors'
import type { Route } from './define-route.ts'
import { isRecord } from './is-record.ts'

type Fields = Record<string, unknown>
interface ObjectSchema {
  properties?: Record<string, ObjectSchema>
}

/**
 * Removes the read-only fields from the body of an update, so that a client can send back a record as it has read it.
 * `readCurrent` returns the record, and is called only if there are such fields. Throws request.read_only if one of
 * them differs from the record.
 */
export async function dropUnchanged(
  { body: schema, reply }: Pick<Route, 'body' | 'reply'>,
  body: unknown,
  readCurrent: () => Promise<object>,
): Promise<void> {
  const view = viewOf(reply)
  if (!isRecord(body) || !schema || !view || !hasReadOnly(body, schema, view)) return
  drop(body, schema, view, JSON.parse(JSON.stringify(await readCurrent())) as Fields, '')
}

const viewOf = (reply: Route['reply']): ObjectSchema | undefined =>
  Array.isArray(reply) ? (reply[1] as TSchema as ObjectSchema) : undefined

function hasReadOnly(body: Fields, schema: ObjectSchema, view: ObjectSchema): boolean {
  return Object.entries(body).some(([name, value]) => {
    const [writable, shown] = [schema.properties?.[name], view.properties?.[name]]
    if (!shown) return false
    return !writable || (isRecord(value) && hasReadOnly(value, writable, shown))
  })
}

function drop(body: Fields, schema: ObjectSchema, view: ObjectSchema, current: Fields, path: string): void {
  for (const [name, value] of Object.entries(body)) {
    const [writable, shown, now] = [schema.properties?.[name], view.properties?.[name], current[name]]
    if (!shown) continue
    if (!writable) {
      if (!isDeepStrictEqual(value, now)) throw fail('request.read_only', { field: path + name })
      delete body[name]
    } else if (isRecord(value) && isRecord(now) && writable.properties)
      drop(value, writable, shown, now, `${path}${name}.`)
  }
}
