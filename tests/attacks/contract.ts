import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './stage.ts'

/** A JSON Schema that uses only the keywords of openapi.json. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  pattern?: string
}

export interface Parameter {
  name: string
  in: 'query' | 'header' | 'path'
  required: boolean
  schema: Schema
}

export interface Operation {
  id: string
  method: string
  path: string
  isPublic: boolean
  parameters: Parameter[]
  /** The schema of the JSON body. Null if the operation takes no JSON. */
  body: Schema | null
  example: unknown
  takesFile: boolean
}

interface DescribedOperation {
  operationId: string
  security: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, { $ref?: string }>
}

/** The contents of openapi.json. Another test checks that the file matches the server. */
export const DOCUMENT: {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
} = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))

export const OPERATIONS: readonly Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => {
    const content = described.requestBody?.content
    return {
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      isPublic: described.security.length === 0,
      parameters: described.parameters ?? [],
      body: content?.['application/json']?.schema ?? null,
      example: content?.['application/json']?.example,
      takesFile: content?.['multipart/form-data'] !== undefined,
    }
  }),
)

/** Resolves a `$ref`. Returns other schemas unchanged. */
export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  return DOCUMENT.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}
}

const DEPTH_MAX = 8

/** Returns every path in a body with its schema. In a path, `[]` stands for array items: `tools[].tool_id`. */
export function placesIn(schema: Schema, path = '', depth = 0): { path: string; schema: Schema }[] {
  if (depth > DEPTH_MAX) return []
  const own = resolve(schema)
  const inner = (at: string) => (part: Schema) => placesIn(part, at, depth + 1)
  return [
    { path, schema: own },
    ...Object.entries(own.properties ?? {}).flatMap(([key, part]) =>
      inner(path === '' ? key : `${path}.${key}`)(part),
    ),
    ...(own.items ? inner(`${path}[]`)(own.items) : []),
    ...[own.anyOf, own.oneOf, own.allOf].flatMap((parts) => (parts ?? []).flatMap(inner(path))),
  ]
}

/** Returns a copy of `value` in which the value at `path` is `put`. Creates missing parents. */
export function withValueAt(value: unknown, path: string, put: unknown): unknown {
  if (path === '') return put
  const [, key = '', list, rest = ''] = /^([^.[]*)(\[\])?\.?(.*)$/.exec(path) ?? []
  const base = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const before: unknown = key === '' ? value : (base as Record<string, unknown>)[key]
  const [first] = Array.isArray(before) ? before : []
  const inner = list ? [withValueAt(first, rest, put)] : withValueAt(before, rest, put)
  return key === '' ? inner : { ...base, [key]: inner }
}
