import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'

type Value = string | number | boolean
type Bound = 'gt' | 'gte' | 'lt' | 'lte'

/** What a document's metadata has to say under one key; all conditions have to hold. */
export interface Condition {
  key: string
  /** One of these. */
  in?: Value[]
  /** Numbers by size; texts by their characters, as ISO 8601 times are in order. */
  bounds?: [Bound, string | number][]
  exists?: boolean
}

const CONDITIONS_MAX = 20
const VALUES_MAX = 100
const KEY_CHARACTERS_MAX = 100
const VALUE_CHARACTERS_MAX = 1_000
const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/**
 * A filter as it was sent (contract, 4): `{key: value}`, `{key: {in: […]}}`, `{key: {gt, gte, lt, lte: …}}`,
 * `{key: {exists: true}}`. Throws kb.filter_invalid.
 */
export function parseFilter(filter: object = {}): Condition[] {
  const entries = Object.entries(filter)
  if (entries.length > CONDITIONS_MAX) throw invalid(sentence('kb.filter_keys', { limit: CONDITIONS_MAX }))
  return entries.map(([key, expected]) => {
    if (key.length > KEY_CHARACTERS_MAX || key.includes('\0') || !key.isWellFormed())
      throw invalid(sentence('kb.filter_key'))
    return { key, ...conditionOf(`filter.${key}`, expected) }
  })
}

function conditionOf(path: string, expected: unknown): Omit<Condition, 'key'> {
  if (isValue(expected)) return { in: [expected] }
  if (expected === null || typeof expected !== 'object' || Array.isArray(expected))
    throw invalid(sentence('kb.filter_value', { field: path }))
  const { in: values, exists, ...rest } = expected as Record<string, unknown>
  const bounds = Object.entries(rest)
  const unknown = bounds.find(([name]) => !Object.hasOwn(OPERATORS, name))
  if (unknown) throw invalid(sentence('kb.filter_operator', { field: `${path}.${unknown[0]}` }))
  if (values === undefined && exists === undefined && bounds.length === 0)
    throw invalid(sentence('kb.filter_empty', { field: path }))
  if (exists !== undefined && typeof exists !== 'boolean')
    throw invalid(sentence('kb.filter_exists', { field: path }))
  if (
    values !== undefined &&
    !(Array.isArray(values) && values.length <= VALUES_MAX && values.every(isValue))
  )
    throw invalid(sentence('kb.filter_list', { field: path, limit: VALUES_MAX }))
  for (const [name, bound] of bounds)
    if (!isValue(bound) || typeof bound === 'boolean')
      throw invalid(sentence('kb.filter_bound', { field: `${path}.${name}`, limit: VALUE_CHARACTERS_MAX }))
  return {
    ...(values !== undefined && { in: values as Value[] }),
    ...(bounds.length > 0 && { bounds: bounds as [Bound, string | number][] }),
    ...(exists !== undefined && { exists }),
  }
}

const isValue = (value: unknown): value is Value =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' &&
    value.length <= VALUE_CHARACTERS_MAX &&
    !value.includes('\0') &&
    value.isWellFormed())

const invalid = (reason: string) => fail('kb.filter_invalid', { reason })

/** Whether a row `d` of kb_documents is what the filter asks for. What we say of a document beats what its source says. */
export function matches(sql: FragmentSql, conditions: readonly Condition[]): Fragment {
  const all = conditions.map((condition) => holds(sql, condition))
  return all.reduce((before, one) => sql`${before} and ${one}`, sql`true`)
}

function holds(sql: FragmentSql, { key, in: values, bounds = [], exists }: Condition): Fragment {
  const value = sql`((d.metadata || jsonb_build_object('name', d.name, 'mime_type', d.mime_type, 'size', d.size,
    'source_id', d.source_id, 'document_id', d.id)) -> ${key}::text)`
  const parts = [
    ...(values
      ? [sql`${value} in (select jsonb_array_elements(${JSON.stringify(values)}::text::jsonb))`]
      : []),
    ...bounds.map((bound) => isWithin(sql, value, bound)),
    ...(exists === undefined ? [] : [sql`(${value} is not null) = ${exists}`]),
  ]
  return sql`coalesce(${parts.reduce((before, one) => sql`${before} and ${one}`)}, false)`
}

/** A case, because what stands beside a condition may be computed before it. */
function isWithin(sql: FragmentSql, value: Fragment, [name, bound]: [Bound, string | number]): Fragment {
  const operator = sql.unsafe(OPERATORS[name])
  return typeof bound === 'number'
    ? sql`case when jsonb_typeof(${value}) = 'number' then (${value} #>> '{}')::numeric ${operator} ${bound}::text::numeric end`
    : sql`case when jsonb_typeof(${value}) = 'string' then (${value} #>> '{}') collate "C" ${operator} ${bound} end`
}
