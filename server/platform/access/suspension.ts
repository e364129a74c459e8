import { type PgColumn, type SQL, sql } from '#database/drizzle.ts'
import { organizations } from '#database/schema/org.ts'
import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import { fail } from '#errors'

/** The row of an organization, or a row that belongs to one. */
export interface Suspendable {
  /** Why the organization is suspended. Null if it is not. */
  suspension_reason: string | null
}

export const isSuspended = ({ suspension_reason: reason }: Suspendable): boolean => reason !== null

/** Throws access.organization_suspended, which gives the reason. */
export function refuseSuspended({ suspension_reason: reason }: Suspendable): void {
  if (reason !== null) throw fail('access.organization_suspended', { reason })
}

/** SQL that is true if the organization with this id is not suspended. */
export const isAtWork = (sql: FragmentSql, organizationId: Fragment): Fragment => sql`exists (
  select from organizations o where o.id = ${organizationId} and o.suspended_at is null)`

/** The same for a query of Drizzle. */
export const isNotSuspended = (organizationId: PgColumn): SQL => sql`exists (
  select from ${organizations}
  where ${organizations.id} = ${organizationId} and ${organizations.suspendedAt} is null)`
