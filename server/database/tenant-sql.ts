import type { ISql, PendingQuery, Row, TransactionSql } from 'postgres'

declare const ofTenant: unique symbol

/** The owner of the rows that statements may touch. */
export interface Tenant {
  organizationId: string
  /** Null: no user, so tables with rows private to a user are out of reach. */
  userId: string | null
}

/** Accepts both the connection pool and a transaction of a tenant. */
export type TenantStatements = ISql & { readonly [ofTenant]: true }

/** Also accepts system statements: a fragment is checked as part of the statement that contains it. */
export type FragmentSql = ISql

/**
 * Statements of one tenant. Each statement binds every tenant table, at every query level, to the organization (and to
 * the user, where rows are private to one). The test suite parses each statement that runs and verifies this
 * (docs/security.md).
 */
export type TenantSql = TenantStatements & {
  begin<Result>(work: (tx: TenantTransaction) => Result | Promise<Result>): Promise<Result>
}
export type TenantTransaction = TenantStatements & TransactionSql

/** A part of a statement. */
export type Fragment = PendingQuery<Row[]>

/** Observes the statements of tenants when they are built. Tests verify them with it; production has none. */
export type TenantWatch = (sql: ISql, tenant: Tenant) => ISql

/** The key under which a watch returns the statements that it wraps. */
export const UNWATCHED: unique symbol = Symbol('unwatched')

let watch: TenantWatch | null = null

export function watchTenants(watchWith: TenantWatch | null): void {
  watch = watchWith
}

export const areTenantsWatched = (): boolean => watch !== null

/**
 * Opens the statements of a tenant. Called by a Scope, and by system-sql.ts for code that acts for a tenant without
 * one.
 */
export const openTenantSql = (sql: ISql, tenant: Tenant): TenantSql =>
  (watch ? watch(sql, tenant) : sql) as unknown as TenantSql
