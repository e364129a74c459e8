import { readFileSync, writeFileSync } from 'node:fs'
import openapiTypeScript, { astToString, type OpenAPI3 } from 'openapi-typescript'

/*
 * Writes src/generated.ts, the types of every schema and operation of openapi.json. `npm run types` runs this before it
 * checks anything, so the file is never older than the document.
 */

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
const document = JSON.parse(text, (_key, value: unknown) => withAdditionalProperties(value)) as OpenAPI3
const types = await openapiTypeScript(document, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true,
  // A property with a default may be left out of a request.
  defaultNonNullable: false,
  // Objects without listed properties may have any.
  emptyObjectsUnknown: true,
})
writeFileSync(new URL('src/generated.ts', import.meta.url), astToString(types))

/** The generator ignores `patternProperties`, which the document uses for objects with any keys. */
function withAdditionalProperties(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('patternProperties' in value)) return value
  const { patternProperties, ...schema } = value
  const [additionalProperties] = Object.values(patternProperties as object)
  return { ...schema, additionalProperties }
}
