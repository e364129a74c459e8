import type { Database } from '#database/connect.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import { ROWS_DEFAULT } from '#platform/tables/owned-tables.ts'
import type { RowOwner } from './delete-rows-system.ts'
import type { Concept } from './export-concepts.ts'

/** Number of parent rows per page. */
const PARENTS_MAX = 50
const ID = [['id', 'uuid']] as const

/** A page of JSON lines, and the key of its last row. The key is undefined on the last page. */
interface LinePage {
  lines: string[]
  last: string[] | undefined
}

/**
 * Yields pages of a table's rows as JSON lines. Each page is a separate query, because one transaction for all pages
 * could last as long as a slow client needs. Later pages may therefore contain changes made during the export.
 */
export async function* readLines(
  database: Database,
  concept: Concept,
  owner: RowOwner,
): AsyncGenerator<string[]> {
  const sql = systemSql(database)
  if (!concept.within) return yield* readPages(sql, concept, ownedBy(owner))
  const { table, column } = concept.within
  const parents: Concept = { name: table, table, columns: '', rowsMax: PARENTS_MAX }
  for (let after: string[] | undefined; ; ) {
    const page = await readPage(sql, parents, ownedBy(owner), after)
    for (const [id] of page.keys)
      yield* readPages(sql, concept, { text: `t.${column} = $1::uuid`, values: [id as string] })
    after = page.last
    if (after === undefined) return
  }
}

interface Condition {
  text: string
  values: string[]
}

const ownedBy = ({ organizationId, userId }: RowOwner): Condition => ({
  text:
    userId === undefined
      ? 't.organization_id = $1::uuid'
      : 't.organization_id = $1::uuid and t.user_id = $2::uuid',
  values: userId === undefined ? [organizationId] : [organizationId, userId],
})

async function* readPages(sql: SystemSql, concept: Concept, condition: Condition): AsyncGenerator<string[]> {
  for (let after: string[] | undefined; ; ) {
    const { lines, last } = await readPage(sql, concept, condition, after)
    if (lines.length > 0) yield lines
    if (last === undefined) return
    after = last
  }
}

/** Reads the page of rows that follows the key `after`. */
async function readPage(
  sql: SystemSql,
  concept: Concept,
  { text, values }: Condition,
  after: string[] | undefined,
): Promise<LinePage & { keys: string[][] }> {
  const { table, where, key = ID, rowsMax = ROWS_DEFAULT } = concept
  const names = key.map(([name]) => `t.${name}`)
  const marks = key.map(([, type], index) => `$${values.length + index + 1}::text::${type}`)
  const rows = await sql.unsafe<{ key: string[]; line: string }[]>(
    `select array[${names.map((name) => `${name}::text`)}] as key, (${objectOf(concept)})::text as line
     from ${table} t
     where ${text} ${where ? `and t.${where}` : ''} ${after ? `and (${names}) > (${marks})` : ''}
     order by ${names} limit ${rowsMax}`,
    [...values, ...(after ?? [])],
  )
  return {
    lines: rows.map(({ line }) => line),
    keys: rows.map((row) => row.key),
    last: rows.length < rowsMax ? undefined : rows.at(-1)?.key,
  }
}

const objectOf = ({ columns, computed = {} }: Concept): string => {
  const values = [
    ...wordsOf(columns).map((name) => [name, name.endsWith('_at') ? timeOf(`t.${name}`) : `t.${name}`]),
    ...Object.entries(computed),
  ]
  return `json_build_object(${values.flatMap(([name, value]) => [`'${name}'`, value])})`
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

const timeOf = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
