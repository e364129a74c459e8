import type { Database, OpenDatabase, SystemSql, SystemStatements, SystemTransaction } from './connect.ts'
import type { PostgresJsDatabase } from './drizzle.ts'
import {
  openTenantSql,
  type Tenant,
  type TenantSql,
  type TenantStatements,
  type TenantTransaction,
  UNWATCHED,
} from './tenant-sql.ts'

/*
 * Statements across all tenants. In parts, only files named `*-system.ts` may import this: sign-in, sweeps, job
 * dispatchers, and grouped statements that serve several tenants (tests/house/imports.test.ts).
 */

export type { SystemSql, SystemStatements, SystemTransaction } from './connect.ts'

export const systemSql = (database: Database): SystemSql => (database as OpenDatabase).sql

/** Returns the Drizzle equivalent. */
export const systemDb = (database: Database): PostgresJsDatabase => (database as OpenDatabase).db

/** Opens a tenant's statements, for a job that acts for a tenant without a Scope. */
export const tenantSql = (database: Database, tenant: Tenant): TenantSql =>
  openTenantSql(systemSql(database), tenant)

/** Opens a tenant's statements within a transaction across all tenants. */
export const tenantTransaction = (tx: SystemTransaction, tenant: Tenant): TenantTransaction =>
  openTenantSql(tx, tenant) as unknown as TenantTransaction

/** Opens statements across all tenants within a tenant's transaction, for a query that no tenant may run. */
export const systemStatements = (tx: TenantStatements): SystemStatements =>
  (UNWATCHED in tx ? tx[UNWATCHED] : tx) as SystemStatements
