import type { Sql } from 'postgres'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'
import type { Secrets } from './secrets.ts'

/** Number of rows per statement. */
const BATCH = 500

export interface Resealed {
  location: string
  /** Number of values that were encrypted again. */
  resealed: number
  /** Number of values that neither secret can decrypt. These values are left unchanged. */
  lost: number
}

/**
 * Re-encrypts, in batches, all values in the database that are not encrypted under the current secret. Safe while
 * servers are running, because concurrently changed values are skipped. If the rotation is interrupted, finished
 * batches are kept.
 */
export async function* resealColumns(sql: Sql, secrets: Secrets): AsyncGenerator<Resealed> {
  for (const column of SEALED_COLUMNS) yield resealColumn(sql, secrets, column)
}

async function resealColumn(sql: Sql, secrets: Secrets, sealed: SealedColumn): Promise<Resealed> {
  const { table, column, key, context } = sealed
  const done: Resealed = { location: `${table}.${column}`, resealed: 0, lost: 0 }
  const names = key.map(([name]) => name)
  const list = sql(names)
  const keyOf = (row: Row): string[] => names.map((name) => String(row[name]))
  let after: Row | undefined
  do {
    const values = after && keyOf(after)
    const rows: Row[] = await sql<Row[]>`
      select ${list}, ${sql(column)} as sealed from ${sql(table)}
      where ${sql(column)} <> '' ${values ? sql`and ${isAfter(sql, key, values)}` : sql``}
      order by ${list} limit ${BATCH}`
    const changes = rows.flatMap((row) => {
      const opened = resealOne(secrets, row.sealed, context(keyOf(row)))
      if (opened === 'lost') done.lost++
      return opened === 'lost' || opened === 'current' ? [] : [{ ...row, resealed: opened.resealed }]
    })
    if (changes.length > 0) {
      const types = key.map(([name, type]) => `"${name}" ${type}`).join(', ')
      const { count } = await sql`
        update ${sql(table)} t set ${sql(column)} = v.resealed
        from json_to_recordset(${JSON.stringify(changes)}::text::json)
          as v (${sql.unsafe(types)}, sealed text, resealed text)
        where t.${sql(column)} = v.sealed and ${isSame(sql, names)}`
      done.resealed += count
    }
    after = rows.length === BATCH ? rows.at(-1) : undefined
  } while (after)
  return done
}

interface Row {
  [name: string]: string
  sealed: string
}

/**
 * Re-encrypts one value under the current secret. Returns 'current' if the value is already encrypted under it, and
 * 'lost' if neither secret can decrypt the value.
 */
export function resealOne(
  secrets: Secrets,
  sealed: string,
  context: string,
): { resealed: string; plain: string } | 'current' | 'lost' {
  if (secrets.isCurrent(sealed, context)) return 'current'
  try {
    const plain = secrets.decrypt(sealed, context)
    return { plain, resealed: secrets.encrypt(plain, context) }
  } catch {
    return 'lost'
  }
}

/** SQL condition: the row's primary key is greater than the given values. */
const isAfter = (sql: Sql, key: SealedColumn['key'], [first, ...rest]: string[]) => {
  const [[name, type] = ['', 'text'], ...others] = key
  const value = type === 'uuid' ? sql`${first ?? null}::uuid` : sql`${first ?? null}::text`
  const further = others.map(([other, itsType], index) => {
    const given = rest[index] ?? null
    return [sql(other), itsType === 'uuid' ? sql`${given}::uuid` : sql`${given}::text`] as const
  })
  const left = further.reduce((text, [column]) => sql`${text}, ${column}`, sql`${sql(name)}`)
  const right = further.reduce((text, [, given]) => sql`${text}, ${given}`, value)
  return sql`(${left}) > (${right})`
}

const isSame = (sql: Sql, names: string[]) =>
  names.reduce((text, name) => sql`${text} and t.${sql(name)} = v.${sql(name)}`, sql`true`)
