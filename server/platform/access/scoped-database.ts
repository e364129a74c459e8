import { AsyncLocalStorage } from 'node:async_hooks'
import type { PgColumn, PgTable, PostgresJsDatabase } from '#database/drizzle.ts'
import { and, eq, type InferInsertModel, type InferSelectModel, type SQL } from '#database/drizzle.ts'

/** A table whose rows belong to an organization, and (with `userId`) to one user in it. No other compiles here. */
export type TenantTable = PgTable & { organizationId: PgColumn; userId?: PgColumn }

type NewRow<T extends TenantTable> = Omit<InferInsertModel<T>, 'organizationId' | 'userId'>
type Change<T extends TenantTable> = Partial<Omit<NewRow<T>, 'id'>>

/**
 * The first wall of tenancy: every statement that goes through here carries the organization, and on tables that
 * belong to a user the user, whatever the caller asks for.
 */
export interface ScopedDatabase {
  select<T extends TenantTable>(
    table: T,
    options?: { where?: SQL | undefined; orderBy?: SQL[]; limit?: number },
  ): Promise<InferSelectModel<T>[]>
  insert<T extends TenantTable>(table: T, row: NewRow<T>): Promise<InferSelectModel<T>>
  update<T extends TenantTable>(
    table: T,
    where: SQL | undefined,
    change: Change<T>,
  ): Promise<InferSelectModel<T>[]>
  delete<T extends TenantTable>(table: T, where: SQL | undefined): Promise<InferSelectModel<T>[]>
  /** All or nothing. Only the database that is handed in may be used inside, and nothing but the database. */
  transaction<R>(work: (database: Omit<ScopedDatabase, 'transaction'>) => Promise<R>): Promise<R>
}

/** Set while a transaction's work runs: with one connection, another statement would wait for it forever. */
const insideTransaction = new AsyncLocalStorage<true>()

export function scopeDatabase(
  db: PostgresJsDatabase,
  owner: { organizationId: string; userId: string },
): ScopedDatabase {
  const outside = statements(db, owner, () => {
    if (insideTransaction.getStore())
      throw new Error('a statement inside a transaction must use the transaction')
  })
  return {
    ...outside,
    transaction: (work) =>
      db.transaction((tx) => insideTransaction.run(true, () => work(statements(tx, owner, () => {})))),
  }
}

function statements(
  db: Pick<PostgresJsDatabase, 'select' | 'insert' | 'update' | 'delete'>,
  owner: { organizationId: string; userId: string },
  check: () => void,
): Omit<ScopedDatabase, 'transaction'> {
  const own = (table: TenantTable, where?: SQL): SQL | undefined =>
    and(eq(table.organizationId, owner.organizationId), table.userId && eq(table.userId, owner.userId), where)
  // Drizzle's types follow one concrete table; these four are written for any, so each result is named once here.
  return {
    async select<T extends TenantTable>(
      table: T,
      options: { where?: SQL | undefined; orderBy?: SQL[]; limit?: number } = {},
    ) {
      check()
      const query = db
        .select()
        .from(table as PgTable)
        .where(own(table, options.where))
        .orderBy(...(options.orderBy ?? []))
        .$dynamic()
      return (await (options.limit === undefined
        ? query
        : query.limit(options.limit))) as InferSelectModel<T>[]
    },
    async insert<T extends TenantTable>(table: T, row: NewRow<T>) {
      check()
      const owned = {
        ...row,
        organizationId: owner.organizationId,
        ...(table.userId && { userId: owner.userId }),
      }
      const rows = await db
        .insert(table as PgTable)
        .values(owned)
        .returning()
      return rows[0] as InferSelectModel<T>
    },
    async update<T extends TenantTable>(table: T, where: SQL | undefined, change: Change<T>) {
      check()
      // A row stays with its owner, whatever a change says.
      const { organizationId: _organization, userId: _user, ...allowed } = change as Record<string, unknown>
      return (await db
        .update(table as PgTable)
        .set(allowed)
        .where(own(table, where))
        .returning()) as InferSelectModel<T>[]
    },
    async delete<T extends TenantTable>(table: T, where: SQL | undefined) {
      check()
      return (await db
        .delete(table as PgTable)
        .where(own(table, where))
        .returning()) as InferSelectModel<T>[]
    },
  }
}
