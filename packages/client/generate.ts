import { readFileSync, writeFileSync } from 'node:fs'
import openapiTypeScript, { astToString, type OpenAPI3 } from 'openapi-typescript'

/*
 * Writes src/generated.ts: the types of every schema and operation in openapi.json. `npm run types` runs this script
 * before the type check, so that the types match openapi.json.
 */

const document: OpenAPI3 = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
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
