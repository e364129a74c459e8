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
 * Statements over all tenants. In a part, only files named `*-system.ts` import this: sign-in, sweeps, what dispatches
 * jobs, and grouped statements that serve several tenants at once (tests/house/imports.test.ts).
 */

export type { SystemSql, SystemStatements, SystemTransaction } from './connect.ts'

export const systemSql = (database: Database): SystemSql => (database as OpenDatabase).sql

/** The same for statements built with Drizzle. */
export const systemDb = (database: Database): PostgresJsDatabase => (database as OpenDatabase).db

/** The statements of a tenant, for a job that acts for one without a Scope. */
export const tenantSql = (database: Database, tenant: Tenant): TenantSql =>
  openTenantSql(systemSql(database), tenant)

/** The statements of a tenant within a transaction over all tenants. */
export const tenantTransaction = (tx: SystemTransaction, tenant: Tenant): TenantTransaction =>
  openTenantSql(tx, tenant) as unknown as TenantTransaction

/** Statements over all tenants within the transaction of a tenant: for a look that no tenant can take. */
export const systemStatements = (tx: TenantStatements): SystemStatements =>
  (UNWATCHED in tx ? tx[UNWATCHED] : tx) as SystemStatements
