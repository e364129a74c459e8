import type { Database, OpenDatabase, SystemSql } from './connect.ts'
import type { PostgresJsDatabase } from './drizzle.ts'
import { openTenantSql, type Tenant, type TenantSql } from './tenant-sql.ts'

/*
 * Statements over all tenants. In a part, only files named `*-system.ts` import this: sign-in, sweeps, what dispatches
 * jobs, and grouped statements that serve several tenants at once (tests/house/imports.test.ts).
 */

export type { SystemSql, SystemTransaction } from './connect.ts'

export const systemSql = (database: Database): SystemSql => (database as OpenDatabase).sql

/** The same for statements built with Drizzle. */
export const systemDb = (database: Database): PostgresJsDatabase => (database as OpenDatabase).db

/** The statements of a tenant, for a job that acts for one without a Scope. */
export const tenantSql = (database: Database, tenant: Tenant): TenantSql =>
  openTenantSql(systemSql(database), tenant)
