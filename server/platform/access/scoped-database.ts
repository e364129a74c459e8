import type { OpenDatabase } from '#database/connect.ts'
import type { PgColumn, PgTable, PostgresJsDatabase } from '#database/drizzle.ts'
import {
  and,
  drizzle,
  eq,
  getTableColumns,
  getTableName,
  type InferInsertModel,
  type InferSelectModel,
  isNull,
  isSQLWrapper,
  type SQL,
  sql,
} from '#database/drizzle.ts'
import { organizations } from '#database/schema/org.ts'
import { areTenantsWatched, openTenantSql, type TenantSql } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import { eventOf, recordChange } from '#platform/audit/audit.ts'
import { eventsAsJson, type WebhookEvent } from '#platform/events/outbox.ts'
import { DEFAULTS } from '#platform/limits/features.ts'
import { quotaFull } from '#platform/limits/stored-bytes.ts'
import { type AuditedTable, isAudited, type OwnedTables } from '#platform/tables/owned-tables.ts'
import type { Actor } from './scope.ts'

/**
 * A table whose rows belong to an organization and, if the table has a `userId` column, to one of its users. Scopes
 * accept no other tables.
 */
export type TenantTable = PgTable & { organizationId: PgColumn; userId?: PgColumn }

interface SelectOptions {
  where?: SQL | undefined
  orderBy?: SQL[]
  limit?: number
  offset?: number
  /** Locks the rows until the transaction ends. */
  lock?: boolean
}

type NewRow<T extends TenantTable> = Omit<InferInsertModel<T>, 'organizationId' | 'userId'>
type Change<T extends TenantTable> = Partial<Omit<NewRow<T>, 'id'>>

/** The source rows of `copy`. */
interface CopySource {
  from: TenantTable
  /** Table to join to each source row. Its columns are null if no row matches. */
  leftJoin?: { table: TenantTable; on: SQL }
  where: SQL | undefined
}

/** The target row of `copy`: constant values, or SQL evaluated for each source row. */
type CopiedRow<T extends TenantTable> = { [K in keyof NewRow<T>]: NewRow<T>[K] | SQL | PgColumn }

/** Data from related tables to include in a record's audit entry. */
interface AuditDetails {
  before?: Record<string, unknown>
  after: Record<string, unknown>
}

/**
 * The first layer of tenant isolation. Limits every statement to the organization, and on tables with a `userId`
 * column to the user, regardless of the caller's conditions. Records changes to audited tables in the audit log in
 * the same transaction.
 */
export interface ScopedDatabase {
  /** For handwritten statements, which must themselves filter by organization and user (docs/security.md). */
  readonly sql: TenantSql
  select<T extends TenantTable>(table: T, options?: SelectOptions): Promise<InferSelectModel<T>[]>
  insert<T extends TenantTable>(
    table: T,
    row: NewRow<T>,
    auditDetails?: AuditDetails,
  ): Promise<InferSelectModel<T>>
  /** Inserts one or more rows into a table that is not audited. */
  insertAll<T extends TenantTable>(table: T, rows: NewRow<T>[]): Promise<void>
  /**
   * Copies rows of another table inside the database, into a table that is not audited. Inside a transaction, the
   * source rows cannot be deleted until the transaction ends. Returns the number of copied rows.
   */
  copy<T extends TenantTable>(source: CopySource, table: T, row: CopiedRow<T>): Promise<number>
  update<T extends TenantTable>(
    table: T,
    where: SQL | undefined,
    change: Change<T>,
    auditDetails?: AuditDetails,
  ): Promise<InferSelectModel<T>[]>
  delete<T extends TenantTable>(table: T, where: SQL | undefined): Promise<InferSelectModel<T>[]>
  /**
   * Runs a transaction. `work` may use only the database that it receives, and must have no side effects elsewhere.
   */
  transaction<R>(work: (database: TransactionStatements) => Promise<R>): Promise<R>
}

export type ScopedStatements = Omit<ScopedDatabase, 'sql' | 'transaction'>

interface TransactionStatements extends ScopedStatements {
  /**
   * Locks the organization's stored bytes. Call it before deleting rows that stored responses reference, because a
   * statement that stores a response takes this lock first (docs/lock-order.md).
   */
  lockStorage(): Promise<void>
  /** Reserves bytes of the organization's storage, as `reserveBytes` does. Call it last. Throws upload.quota. */
  reserve(bytes: number): Promise<void>
  /**
   * Queues events for the organization's webhooks. Must be the last statement of the transaction
   * (platform/events/outbox.ts).
   */
  announce(events: readonly WebhookEvent[]): Promise<void>
}

interface Owner extends Actor {
  organizationId: string
}

export interface ScopeSource {
  database: Pick<OpenDatabase, 'sql' | 'db'>
  /** Declarations of all tables, including their audit settings. */
  tables: OwnedTables
}

export function scopeDatabase({ database, tables }: ScopeSource, owner: Owner): ScopedDatabase {
  const auditOf = (table: TenantTable): AuditedTable | null => {
    const owned = tables[getTableName(table)]
    return isAudited(owned) ? owned.audit : null
  }
  const tenantSql = openTenantSql(database.sql, owner)
  // In tests that check tenant statements, Drizzle's statements are checked too, because callers supply their
  // conditions.
  const db = areTenantsWatched() ? drizzle(tenantSql as unknown as OpenDatabase['sql']) : database.db
  const transaction: ScopedDatabase['transaction'] = (work) =>
    db.transaction(async (tx) => {
      await keepOrganization(tx, owner.organizationId)
      return work({
        ...statements(tx, owner, auditOf),
        async lockStorage() {
          await tx.execute(
            sql`select from organizations where id = ${owner.organizationId} for no key update`,
          )
        },
        async reserve(bytes) {
          const [row] = await tx.execute<{ limit: string | null }>(sql`
            select reserve_bytes(${owner.organizationId}, ${bytes}, ${DEFAULTS.file_upload}) as limit`)
          if (row?.limit != null) throw quotaFull(row.limit)
        },
        async announce(events) {
          if (events.length === 0) return
          const rows = eventsAsJson(owner.organizationId, events)
          await tx.execute(sql`select queue_webhook_deliveries(${rows}::text::jsonb)`)
        },
      })
    })
  const outside = statements(db, owner, auditOf)
  /** Runs a change. If the table is audited, the change and its audit entry share one transaction. */
  const change = <R>(table: TenantTable, work: (database: ScopedStatements) => Promise<R>): Promise<R> =>
    auditOf(table) ? transaction(work) : work(outside)
  return {
    sql: tenantSql,
    select: outside.select,
    insert: (table, row, auditDetails) =>
      change(table, (database) => database.insert(table, row, auditDetails)),
    insertAll: outside.insertAll,
    copy: outside.copy,
    update: (table, where, values, auditDetails) =>
      change(table, (database) => database.update(table, where, values, auditDetails)),
    delete: (table, where) => change(table, (database) => database.delete(table, where)),
    transaction,
  }
}

/** Like lockOrganization with `records` (organization-lock.ts), for Drizzle transactions. */
async function keepOrganization(db: Pick<PostgresJsDatabase, 'select'>, id: string): Promise<void> {
  const [locked] = await db
    .select()
    .from(organizations)
    .where(and(eq(organizations.id, id), isNull(organizations.closedAt)))
    .for('key share')
  if (!locked) throw fail('org.not_found', { value: id })
}

function statements(
  db: Pick<PostgresJsDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>,
  owner: Owner,
  auditOf: (table: TenantTable) => AuditedTable | null,
): ScopedStatements {
  const own = (table: TenantTable, where?: SQL): SQL | undefined =>
    and(eq(table.organizationId, owner.organizationId), table.userId && eq(table.userId, owner.userId), where)

  const withOwner = <Row extends object>(table: TenantTable, row: Row) => ({
    ...row,
    organizationId: owner.organizationId,
    ...(table.userId && { userId: owner.userId }),
  })

  const record = async (
    table: TenantTable,
    before: object | null,
    after: object | null,
    auditDetails?: AuditDetails,
  ): Promise<void> => {
    const audit = auditOf(table)
    if (audit) await recordRow(db, owner, audit, { table, before, after, auditDetails })
  }

  // Drizzle's types require a concrete table. These functions accept any table, so each function casts its result.
  async function select<T extends TenantTable>(table: T, options: SelectOptions = {}) {
    const query = db
      .select()
      .from(table as PgTable)
      .where(own(table, options.where))
      .orderBy(...(options.orderBy ?? []))
      .$dynamic()
    if (options.limit !== undefined) query.limit(options.limit)
    if (options.offset !== undefined) query.offset(options.offset)
    if (options.lock) query.for('update')
    return (await query) as InferSelectModel<T>[]
  }
  return {
    select,
    async insert<T extends TenantTable>(table: T, row: NewRow<T>, auditDetails?: AuditDetails) {
      const [made] = await db
        .insert(table as PgTable)
        .values(withOwner(table, row))
        .returning()
      await record(table, null, made as object, auditDetails)
      return made as InferSelectModel<T>
    },
    async insertAll<T extends TenantTable>(table: T, rows: NewRow<T>[]) {
      refuse(auditOf(table))
      await db.insert(table as PgTable).values(rows.map((row) => withOwner(table, row)))
    },
    async copy<T extends TenantTable>({ from, leftJoin, where }: CopySource, table: T, row: CopiedRow<T>) {
      refuse(auditOf(table))
      // Handwritten, because Drizzle's query builder can copy only whole rows.
      const { names, values } = columnsOf(table, withOwner(table, row))
      const join = leftJoin && sql`left join ${leftJoin.table} on ${own(leftJoin.table, leftJoin.on)}`
      const made = await db.execute(sql`
        insert into ${table} (${names}) select ${values} from ${from} ${join}
        where ${own(from, where)} for key share of ${from}`)
      return made.count
    },
    async update<T extends TenantTable>(
      table: T,
      where: SQL | undefined,
      change: Change<T>,
      auditDetails?: AuditDetails,
    ) {
      const before = auditOf(table) ? await select(table, { where, lock: true }) : []
      // Ignore the owner columns, so that a change never moves a row to another owner.
      const { organizationId: _organization, userId: _user, ...allowed } = change as Record<string, unknown>
      const after = (await db
        .update(table as PgTable)
        .set(allowed)
        .where(own(table, where))
        .returning()) as InferSelectModel<T>[]
      for (const row of after) await record(table, before.find(sameId(row)) ?? null, row, auditDetails)
      return after
    },
    async delete<T extends TenantTable>(table: T, where: SQL | undefined) {
      const rows = (await db
        .delete(table as PgTable)
        .where(own(table, where))
        .returning()) as InferSelectModel<T>[]
      for (const row of rows) await record(table, row, null)
      return rows
    },
  }
}

/** Records a row's change in the audit log. Does nothing if no recorded column changed. */
async function recordRow(
  db: Pick<PostgresJsDatabase, 'insert'>,
  owner: Owner,
  audit: AuditedTable,
  { table, before, after, auditDetails }: RowChange,
): Promise<void> {
  const event = eventOf(
    audit,
    before && { ...byColumn(table, before), ...auditDetails?.before },
    after && { ...byColumn(table, after), ...auditDetails?.after },
  )
  if (event) await recordChange(db, owner.organizationId, owner, event)
}

function refuse(audit: AuditedTable | null): void {
  if (audit) throw new Error('insert rows of an audited table one by one')
}

interface RowChange {
  table: TenantTable
  before: object | null
  after: object | null
  auditDetails: AuditDetails | undefined
}

/** Returns the names and values of the columns that `row` sets. */
function columnsOf(table: TenantTable, row: Record<string, unknown>): { names: SQL; values: SQL } {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) => row[key] !== undefined)
  return {
    names: sql.join(
      columns.map(([, { name }]) => sql.identifier(name)),
      sql`, `,
    ),
    values: sql.join(
      columns.map(([key, column]) => {
        const value = row[key]
        return isSQLWrapper(value) ? value : sql.param(value, column)
      }),
      sql`, `,
    ),
  }
}

const sameId =
  (row: object) =>
  (other: object): boolean =>
    (row as { id?: string }).id === (other as { id?: string }).id

const byColumn = (table: TenantTable, row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, column]) => [
      column.name,
      (row as Record<string, unknown>)[key],
    ]),
  )
