import type { ISql, PendingQuery, Row, TransactionSql } from 'postgres'

declare const ofTenant: unique symbol

/** Whose rows statements may touch. */
export interface Tenant {
  organizationId: string
  /** Null: no user, so tables whose rows are private to one are out of reach. */
  userId: string | null
}

/** Takes both the connection pool and a transaction of a tenant. */
export type TenantStatements = ISql & { readonly [ofTenant]: true }

/** Takes those of a system too: for fragments, which are proven in the statement around them. */
export type FragmentSql = ISql

/**
 * Statements of one tenant. Each binds every tenant table, at every query level, to the organization (and the user,
 * where rows are private to one). The test suite parses each statement that runs and proves it (docs/security.md).
 */
export type TenantSql = TenantStatements & {
  begin<Result>(work: (tx: TenantTransaction) => Result | Promise<Result>): Promise<Result>
}
export type TenantTransaction = TenantStatements & TransactionSql

/** A piece of a statement. */
export type Fragment = PendingQuery<Row[]>

/** Sees the statements of tenants as they are made. Tests prove them with it; in production there is none. */
export type TenantWatch = (sql: ISql, tenant: Tenant) => ISql

/** Under this name a watch answers the statements that it watches. */
export const UNWATCHED: unique symbol = Symbol('unwatched')

let watch: TenantWatch | null = null

export function watchTenants(watchWith: TenantWatch | null): void {
  watch = watchWith
}

export const areTenantsWatched = (): boolean => watch !== null

/** Opens the statements of a tenant: called by a Scope, and by system-sql.ts for what acts for a tenant without one. */
export const openTenantSql = (sql: ISql, tenant: Tenant): TenantSql =>
  (watch ? watch(sql, tenant) : sql) as unknown as TenantSql
