import type { Sql } from 'postgres'
import { getTableColumns, getTableName, type PgTable } from '#database/drizzle.ts'
import * as schema from '#database/schema/index.ts'

/** A foreign key without nullable columns, so that the database enforces it for every row. */
export interface ForeignKey {
  columns: string[]
  target: string
  targetColumns: string[]
}

export interface Table {
  name: string
  columns: ReadonlySet<string>
  /** The column with the organization's id; null if the table has none. */
  organization: string | null
  /** The column with the user's id, if each row is private to one user. */
  user: string | null
  /** The column with the `id` of the parent row, in a tenant table without an organization column; otherwise null. */
  parent: { table: string; column: string } | null
  foreignKeys: readonly ForeignKey[]
  /** Sets of columns that identify a row. */
  keys: readonly string[][]
}

export type Catalogue = ReadonlyMap<string, Table>

/**
 * Reads the columns, foreign keys and unique keys that the prover uses from PostgreSQL. A table belongs to an
 * organization if it has the column organization_id, or a parent (PARENTS) with this column. The rows of a table are
 * private to a user if the Drizzle schema calls a column `userId`.
 */
export async function readCatalogue(sql: Sql): Promise<Catalogue> {
  const columns = await sql<{ name: string; columns: string[]; required: string[] }[]>`
    select c.relname as name, array_agg(a.attname::text) as columns,
      coalesce(array_agg(a.attname::text) filter (where a.attnotnull), '{}') as required
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by c.relname`
  const foreignKeys = await sql<(ForeignKey & { name: string })[]>`
    select c.conrelid::regclass::text as name, c.confrelid::regclass::text as target,
      (select array_agg(attname::text order by k.i) from unnest(c.conkey) with ordinality as k (n, i)
        join pg_attribute on attrelid = c.conrelid and attnum = k.n) as columns,
      (select array_agg(attname::text order by k.i) from unnest(c.confkey) with ordinality as k (n, i)
        join pg_attribute on attrelid = c.confrelid and attnum = k.n) as "targetColumns"
    from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`
  const keys = await sql<{ name: string; columns: string[] }[]>`
    select i.indrelid::regclass::text as name,
      (select array_agg(attname::text) from unnest(i.indkey) as k (n)
        join pg_attribute on attrelid = i.indrelid and attnum = k.n) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and i.indpred is null and i.indexprs is null
      and c.relnamespace = 'public'::regnamespace`
  return new Map(
    columns.map(({ name, columns: all, required }) => [
      name,
      {
        name,
        columns: new Set(all),
        organization:
          name === 'organizations' ? 'id' : all.includes('organization_id') ? 'organization_id' : null,
        user: PRIVATE.has(name) ? 'user_id' : null,
        parent: PARENTS[name] ?? null,
        // The compared column isn't null where the comparison is true. All other columns must be declared not
        // null.
        foreignKeys: foreignKeys.filter(
          (key) =>
            key.name === name && key.columns.filter((column) => !required.includes(column)).length <= 1,
        ),
        keys: keys.filter((key) => key.name === name).map((key) => key.columns),
      },
    ]),
  )
}

/** Tables with so many rows that a column for the organization would cost too much. */
const PARENTS: Record<string, Table['parent']> = {
  kb_postings: { table: 'knowledge_bases', column: 'kb_id' },
  kb_vectors: { table: 'knowledge_bases', column: 'kb_id' },
}

/** Tables whose rows are private to one user. */
const PRIVATE = new Set(
  Object.values<unknown>(schema)
    .filter((value): value is PgTable => Symbol.for('drizzle:IsDrizzleTable') in Object(value))
    .filter((table) => {
      const { organizationId, userId } = getTableColumns(table)
      return organizationId?.notNull && userId?.notNull
    })
    .map(getTableName),
)
