import type { ISql, PendingQuery, Row, TransactionSql } from 'postgres'

declare const ofTenant: unique symbol

/** The organization and user whose rows the statements may access. */
export interface Tenant {
  organizationId: string
  /** Null for work without a user, which cannot access tables whose rows are private to a user. */
  userId: string | null
}

/** Statements of a tenant, through the connection pool or in a transaction. */
export type TenantStatements = ISql & { readonly [ofTenant]: true }

/**
 * Builds a fragment of a statement. Also accepts system statements, because the fragment is checked as part of the
 * statement that contains it.
 */
export type FragmentSql = ISql

/**
 * Runs statements of one tenant. At every query level, a statement must bind each tenant table to the organization,
 * and tables with private rows also to the user. The test suite parses each statement that runs and verifies this
 * rule (docs/security.md).
 */
export type TenantSql = TenantStatements & {
  begin<Result>(work: (tx: TenantTransaction) => Result | Promise<Result>): Promise<Result>
}
export type TenantTransaction = TenantStatements & TransactionSql

/** A part of a statement. */
export type Fragment = PendingQuery<Row[]>

/**
 * Observes the statements of tenants when they are built. Tests use a watch to verify statements; production has
 * none.
 */
export type TenantWatch = (sql: ISql, tenant: Tenant) => ISql

/** Key of the original statements in an object that a watch has wrapped. */
export const UNWATCHED: unique symbol = Symbol('unwatched')

let watch: TenantWatch | null = null

export function watchTenants(watchWith: TenantWatch | null): void {
  watch = watchWith
}

export const areTenantsWatched = (): boolean => watch !== null

/**
 * Returns statements bound to a tenant. Called by a Scope, and by system-sql.ts for code that acts for a tenant
 * without a Scope.
 */
export const openTenantSql = (sql: ISql, tenant: Tenant): TenantSql =>
  (watch ? watch(sql, tenant) : sql) as unknown as TenantSql
