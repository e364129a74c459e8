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
 * Statements across all tenants. In parts, only files named `*-system.ts` may import this file
 * (tests/house/imports.test.ts). Such files contain sign-in, sweeps, job dispatchers, and grouped statements that
 * serve several tenants.
 */

export type { SystemSql, SystemStatements, SystemTransaction } from './connect.ts'

export const systemSql = (database: Database): SystemSql => (database as OpenDatabase).sql

/** Returns the Drizzle equivalent of systemSql. */
export const systemDb = (database: Database): PostgresJsDatabase => (database as OpenDatabase).db

/** Returns statements bound to a tenant, for a job that acts for the tenant without a Scope. */
export const tenantSql = (database: Database, tenant: Tenant): TenantSql =>
  openTenantSql(systemSql(database), tenant)

/** Binds statements of a transaction across all tenants to one tenant. */
export const tenantTransaction = (tx: SystemTransaction, tenant: Tenant): TenantTransaction =>
  openTenantSql(tx, tenant) as unknown as TenantTransaction

/**
 * Returns statements across all tenants within a tenant's transaction, for a query that a tenant's statements may not
 * run.
 */
export const systemStatements = (tx: TenantStatements): SystemStatements =>
  (UNWATCHED in tx ? tx[UNWATCHED] : tx) as SystemStatements
