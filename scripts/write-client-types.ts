import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Writes console/src/api/operations.ts from openapi.json: the types of every schema, and of every operation its query,
 * its body and what it answers. `npm run types` does it before it checks the console.
 */

interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
}

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const ROOT = join(import.meta.dirname, '..')
const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as Document

const schemas = Object.entries(document.components.schemas).map(
  ([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`,
)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => operation.operationId)
    .map(([method, operation]) => `  '${method.toUpperCase()} ${path}': ${describe(operation)}\n`),
)
writeFileSync(
  join(ROOT, 'console/src/api/operations.ts'),
  `// Written from openapi.json by scripts/write-client-types.ts.\n\n${schemas.join('\n')}
export interface Operations {\n${operations.join('')}}\n`,
)

function describe({ parameters = [], requestBody, responses }: Operation): string {
  const query: Schema = { type: 'object', properties: {}, required: [], additionalProperties: false }
  for (const { name, schema, required } of parameters.filter((parameter) => parameter.in === 'query')) {
    query.properties![name] = schema
    if (required) query.required!.push(name)
  }
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  return `{ query: ${typeOf(query)}; body: ${jsonOf(requestBody)}; reply: ${jsonOf(success)} }`
}

function jsonOf(from: Content | undefined): string {
  const schema = from?.content?.['application/json']?.schema
  return schema ? typeOf(schema) : 'undefined'
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return `(${schema.enum.map((one) => JSON.stringify(one)).join(' | ')})`
  if (schema.anyOf) return `(${schema.anyOf.map(typeOf).join(' | ')})`
  if (schema.allOf) return `(${schema.allOf.map(typeOf).join(' & ')})`
  if (Array.isArray(schema.type))
    return `(${schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')})`
  switch (schema.type) {
    case 'array':
      return `${schema.items ? typeOf(schema.items) : 'unknown'}[]`
    case 'object':
      return objectOf(schema)
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectOf({ properties, required = [], patternProperties, additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) =>
      `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}${required.includes(name) ? '' : ' | undefined'}`,
  )
  const [pattern] = Object.values(patternProperties ?? {})
  if (pattern) fields.push(`[name: string]: ${typeOf(pattern)}`)
  else if (!properties)
    fields.push(
      `[name: string]: ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}`,
    )
  return fields.length === 0 ? 'Record<never, never>' : `{ ${fields.join('; ')} }`
}
