import { expect, test } from 'vitest'
import { type Json, text } from '#tests/support/mcp/tool-schemas.ts'
import { schemaFault } from '#tests/support/provider/schema-faults.ts'
import { createRandom } from '#tests/support/random.ts'
import { adaptSchema } from './adapt.ts'

/** A variable, because an object with a property of this name looks like a promise to the linter. */
const THEN = 'then'

/** Builds random schemas of all drafts, with faults. */
function randomSchema(random: () => number, levels: number): unknown {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value
  const inner = (): unknown => randomSchema(random, levels - 1)
  const list = (): unknown[] => Array.from({ length: Math.floor(random() * 4) }, inner)
  const names = [
    'a',
    '$b',
    'c d',
    'e[f]',
    '__proto__',
    'constructor',
    'x'.repeat(80),
    '',
    'type',
    'items',
    'é',
  ]
  const named = (): Json =>
    Object.fromEntries(Array.from({ length: Math.floor(random() * 4) }, () => [pick(names), inner()]))
  const scalars: unknown[] = ['a', '', 1, -1.5, true, null, [], {}, 1e300, ['x'], { a: 1 }]
  if (levels <= 0)
    return pick<unknown>([
      {},
      true,
      false,
      text,
      { type: 'array' },
      { type: 'object' },
      null,
      { $ref: '#/$defs/d' },
    ])
  const keywords: Record<string, () => unknown> = {
    type: () =>
      pick<unknown>([
        'string',
        'number',
        'array',
        'object',
        'any',
        'INTEGER',
        ['string', 'null'],
        ['array', 'object'],
        [],
        5,
      ]),
    properties: () => pick<unknown>([named(), named(), named(), null, []]),
    required: () => pick<unknown>([[pick(names), pick(names)], true, 'a', [1, null]]),
    items: () => pick<unknown>([inner(), list(), true, null]),
    prefixItems: list,
    additionalProperties: () => pick<unknown>([true, false, inner()]),
    patternProperties: named,
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: inner,
    if: inner,
    [THEN]: inner,
    else: inner,
    dependentSchemas: named,
    enum: () => pick<unknown>([scalars, ['a', 'b'], [pick(scalars)], [], 'x']),
    const: () => pick(scalars),
    default: () => pick(scalars),
    nullable: () => pick<unknown>([true, false, 'yes']),
    format: () => pick<unknown>(['uri', 'date-time', 'int64', 5]),
    pattern: () => pick<unknown>(['^a$', '(?i)x', '(?<=a)b', '[', '\\p{L}', 5, '(?<n>a)']),
    minLength: () => pick(scalars),
    minItems: () => pick(scalars),
    minimum: () => pick(scalars),
    exclusiveMinimum: () => pick(scalars),
    description: () => pick(scalars),
    title: () => pick(scalars),
    $ref: () => pick(['#', '#/$defs/d', '#/$defs/e', '#/properties/a', 'http://example.org/x', '#x', '#/%']),
    $id: () => pick(scalars),
    $comment: () => 'x',
  }
  return Object.fromEntries(
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
      const keyword = pick(Object.keys(keywords))
      return [keyword, keywords[keyword]?.()]
    }),
  )
}

/** Builds a value with all properties that a schema describes. */
function sampleOf(schema: Json): unknown {
  const { type, properties, items, anyOf } = schema
  if (Array.isArray(anyOf)) return sampleOf(anyOf.at(-1))
  if (type === 'array') return [sampleOf(items as Json)]
  if (type !== 'object') return 'x'
  return Object.fromEntries(
    Object.entries(properties as Record<string, Json>).map(([name, inner]) => [name, sampleOf(inner)]),
  )
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(keysIn)]
}

test.each([1, 2, 3, 4])('random schemas are acceptable, and their own names come back (seed %i)', (seed) => {
  const random = createRandom(seed)
  let usable = 0
  for (let count = 0; count < 1_500; count++) {
    const $defs = { d: randomSchema(random, 2), e: randomSchema(random, 2) }
    const root = randomSchema(random, 4) as Json
    const given = random() < 0.7 ? { ...root, type: 'object', $defs } : { ...root, $defs }
    const before = JSON.stringify(given)
    const tool = adaptSchema(given)
    expect(JSON.stringify(given)).toBe(before)
    if ('refused' in tool) continue
    usable += 1
    expect(schemaFault(tool.schema), before).toBeNull()
    const own = new Set(keysIn(given))
    const foreign = keysIn(tool.toServer(sampleOf(tool.schema) as Json)).filter((name) => !own.has(name))
    expect(foreign, before).toEqual([])
    const again = adaptSchema(tool.schema)
    expect('schema' in again && again.schema, before).toEqual(tool.schema)
  }
  expect(usable).toBeGreaterThan(500)
})
