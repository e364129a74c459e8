import { readFileSync, writeFileSync } from 'node:fs'
import openapiTypeScript, { astToString, type OpenAPI3 } from 'openapi-typescript'

/*
 * Writes src/generated.ts: the types of every schema and operation in openapi.json. `npm run types` runs this script
 * before the type check, so that the types match openapi.json.
 */

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
const document = JSON.parse(text, (_key, value: unknown) => withAdditionalProperties(value)) as OpenAPI3
const types = await openapiTypeScript(document, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true,
  // A request may omit a property that has a default.
  defaultNonNullable: false,
  // An object without listed properties may have any properties.
  emptyObjectsUnknown: true,
})
writeFileSync(new URL('src/generated.ts', import.meta.url), astToString(types))

/**
 * Replaces `patternProperties` with `additionalProperties`. The document describes objects with arbitrary keys by
 * `patternProperties`, which the generator ignores.
 */
function withAdditionalProperties(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('patternProperties' in value)) return value
  const { patternProperties, ...schema } = value
  const [additionalProperties] = Object.values(patternProperties as object)
  return { ...schema, additionalProperties }
}
