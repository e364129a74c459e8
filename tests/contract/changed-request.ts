import { randomUUID } from 'node:crypto'
import { OPERATIONS, resolve, type Schema } from '#tests/attacks/contract.ts'

export interface Sent {
  token?: string
  /** Parameters in the path. */
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  file?: { name: string; bytes: Uint8Array }
  /** Other fields of the form with the file. */
  fields?: Record<string, string>
  headers?: Record<string, string>
}

/** Returns the request with one value replaced by another valid one, or null if it takes only record ids. */
export function changed(id: string, request: Sent): Sent | null {
  const described = DESCRIBED.get(id)
  const { query, body, file } = request
  if (file) return { ...request, file: { ...file, name: `other-${file.name}` } }
  const inBody = differing(body, described?.body?.properties ?? {})
  if (inBody) return { ...request, body: { ...(body as object), ...inBody } }
  const parameters = described?.parameters.filter((parameter) => parameter.in === 'query') ?? []
  const texts = parameters.filter(({ schema }) => schema.format !== 'uuid')
  const inQuery = differing(query, Object.fromEntries(texts.map(({ name, schema }) => [name, schema])))
  return inQuery && { ...request, query: { ...query, ...inQuery } }
}

const DESCRIBED = new Map(OPERATIONS.map((operation) => [operation.id, operation]))

/** Returns one of the properties with a value that differs from the sent value, or null if none can be changed. */
function differing(sent: unknown, properties: Record<string, Schema>): Record<string, string> | null {
  // Free text comes first, because a request with another id may be refused for the id.
  const inOrder = Object.entries(properties).sort(
    ([, { format: a }], [, { format: b }]) => Number(a !== undefined) - Number(b !== undefined),
  )
  for (const [name, schema] of inOrder) {
    const { type, format, enum: values, pattern } = resolve(schema)
    const before = (sent as Record<string, unknown> | undefined)?.[name]
    if (type !== 'string' || NAMES_ORGANIZATION.test(name)) continue
    const longer = `${before ?? ''}0`
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(longer)) continue
    if (values) return { [name]: String(values.find((value) => value !== before)) }
    if (format === undefined) return { [name]: longer }
    if (format === 'uuid') return { [name]: randomUUID() }
    if (format === 'email') return { [name]: `${randomUUID()}@example.com` }
  }
  return null
}

/** Never changed, because the caller has no access to another organization. */
const NAMES_ORGANIZATION = /^org(anization)?_id$/
