/*
 * Tools of protocol 2026-07-28 may repeat arguments in HTTP headers. The property `x-mcp-header` of a parameter's schema
 * names the header (MCP spec, Streamable HTTP, "Custom Headers from Tool Parameters"; SEP-2243).
 */

const ANNOTATION = 'x-mcp-header'
/** A token of RFC 9110, 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const TYPES: unknown[] = ['string', 'integer', 'boolean']
/** Keywords with a schema or a list of schemas. A parameter must not be annotated there. */
const NESTED = [
  ...[
    'items',
    'prefixItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
  ],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
]
/** Keywords with named schemas. A parameter must not be annotated there. */
const NAMED = ['patternProperties', 'dependentSchemas', '$defs', 'definitions']

/** A schema within a tool's input schema. Only parameters, and properties of parameters, may be annotated. */
type Place = 'root' | 'parameter' | 'elsewhere'

/**
 * Returns why a tool's annotations are invalid, or null if they are valid. Clients must not use a tool with invalid
 * annotations. `inputSchema` must not be nested too deeply.
 */
export function findHeaderFault(inputSchema: unknown): string | null {
  const names = new Set<string>()
  for (const { header, type, place } of annotationsIn(inputSchema)) {
    if (place !== 'parameter') return `${ANNOTATION} is only allowed on parameters and their properties`
    if (typeof header !== 'string' || !TOKEN.test(header)) return `${ANNOTATION} is not a valid header name`
    if (!TYPES.includes(type)) return `${ANNOTATION} "${header}" is not on a string, integer or boolean`
    if (names.has(header.toLowerCase())) return `two parameters have the ${ANNOTATION} "${header}"`
    names.add(header.toLowerCase())
  }
  return null
}

/** True if a tool's input schema repeats any argument in a header. */
export const hasHeaders = (inputSchema: unknown): boolean => !annotationsIn(inputSchema).next().done

function* annotationsIn(
  schema: unknown,
  place: Place = 'root',
): Generator<{ header: unknown; type: unknown; place: Place }> {
  if (typeof schema !== 'object' || schema === null) return
  const { [ANNOTATION]: header, type, properties, ...rest } = schema as Record<string, unknown>
  if (header !== undefined) yield { header, type, place }
  const placeOfProperties = place === 'elsewhere' ? place : 'parameter'
  for (const property of valuesOf(properties)) yield* annotationsIn(property, placeOfProperties)
  const others = [...NESTED.flatMap((key) => rest[key]), ...NAMED.flatMap((key) => valuesOf(rest[key]))]
  for (const other of others) yield* annotationsIn(other, 'elsewhere')
}

const valuesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []
