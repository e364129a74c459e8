import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import { hasSource } from './claimable.ts'
import type { SearchedKb } from './searched-kbs.ts'

type Value = string | number | boolean
type Bound = 'gt' | 'gte' | 'lt' | 'lte'

/** Condition on one metadata key. A document matches a filter if it meets every condition. */
export interface Condition {
  key: string
  /** The value must equal one of these. */
  in?: Value[]
  /**
   * The value must be within all bounds. A number bound matches only numbers, and a string bound only strings.
   * Strings compare by code point, which orders ISO 8601 times.
   */
  bounds?: [Bound, string | number][]
  exists?: boolean
}

/** Maximum number of conditions. Requests with more do not match their schema. */
export const CONDITIONS_MAX = 20
/** @limit values in a list of a filter */
const VALUES_MAX = 100
/** @limit key of a filter */
const KEY_CHARACTERS_MAX = 100
/** @limit text value of a filter */
const VALUE_CHARACTERS_MAX = 1_000
const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/**
 * Parses a filter in its API form: `{key: value}`, `{key: {in: […]}}`, `{key: {gt, gte, lt, lte:
 * …}}`, `{key: {exists: true}}`. Throws kb.filter_invalid.
 */
export function parseFilter(filter: object = {}): Condition[] {
  return Object.entries(filter).map(([key, expected]) => {
    if (key.length > KEY_CHARACTERS_MAX || key.includes('\0') || !key.isWellFormed())
      throw invalid(sentence('kb.filter_key', { limit: KEY_CHARACTERS_MAX }))
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

/** True if a search of the knowledge base need not look at documents: it has no filter, and no source was deleted lately. */
export const isOfAll = ({ hasAbandoned }: SearchedKb, conditions: readonly Condition[]): boolean =>
  conditions.length === 0 && !hasAbandoned

/** For a row `d` of kb_documents: true if its source exists and the document matches the filter. */
export const isSearched = (sql: FragmentSql, conditions: readonly Condition[]): Fragment => sql`
  ${hasSource(sql)} and ${matches(sql, conditions)}`

/**
 * For a row `d` of kb_documents: true if the document matches the filter. Built-in fields such as `name` override
 * metadata keys with the same name.
 */
function matches(sql: FragmentSql, conditions: readonly Condition[]): Fragment {
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

/**
 * True if the value is within the bound. `case` guards the cast, because SQL may evaluate conditions joined by `and`
 * in any order.
 */
function isWithin(sql: FragmentSql, value: Fragment, [name, bound]: [Bound, string | number]): Fragment {
  const operator = sql.unsafe(OPERATORS[name])
  return typeof bound === 'number'
    ? sql`case when jsonb_typeof(${value}) = 'number' then (${value} #>> '{}')::numeric ${operator} ${bound}::text::numeric end`
    : sql`case when jsonb_typeof(${value}) = 'string' then (${value} #>> '{}') collate "C" ${operator} ${bound} end`
}
