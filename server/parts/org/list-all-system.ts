import type { Database } from '#database/connect.ts'
import { olderThan } from '#database/keyset.ts'
import { patternHolding, SEARCHED_MAX } from '#database/like.ts'
import { UUID } from '#database/new-id.ts'
import type { Features } from '#database/schema/org.ts'
import { systemSql } from '#database/system-sql.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { thisMonth } from '#platform/limits/calendar.ts'
import { withDefaults } from '#platform/limits/features.ts'
import { type ListedOrganization, type SuspensionColumns, viewSuspension } from './schemas.ts'

interface Row extends Omit<ListedOrganization, 'features' | 'suspension' | 'created_at'>, SuspensionColumns {
  features: Features
  created_at: string
}

/**
 * Returns the organizations of the installation, newest first, for the system administrator. `q` matches an id,
 * an owner's email address, or among the newest SEARCHED_MAX organizations, a part of the name or of an owner's email
 * address. Usage is read from daily sums of this month (UTC).
 */
export function listAllOrganizations(
  database: Database,
  query: { q?: string; limit?: number; cursor?: string },
): Promise<Page<ListedOrganization>> {
  const sql = systemSql(database)
  const pattern = patternHolding(query.q)
  const owners = sql`
    memberships m join roles r on r.id = m.role_id and r.is_system_role and r.name = 'owner'
    join users u on u.id = m.user_id`
  const text = query.q?.trim().toLowerCase() ?? ''
  const found = sql`
    select o.id from organizations o where o.id = ${UUID.test(text) ? text : null}::uuid
    union all
    select m.organization_id from ${owners} where u.email = ${text}
    union all
    select o.id from (
      select n.id, n.name from organizations n
      where n.closed_at is null and n.importing_by is null order by n.id desc limit ${SEARCHED_MAX}) o
    where o.name ilike ${pattern}
      or exists (select from ${owners} where m.organization_id = o.id and u.email ilike ${pattern})`
  return readPage(
    query,
    (below, count) => sql<Row[]>`
      select o.id, o.name, o.personal_user_id is not null as is_personal, o.features, o.suspended_at,
        o.suspension_reason, o.created_at,
        (select min(u.email) from ${owners} where m.organization_id = o.id and m.status = 'active') as owner_email,
        (select count(*)::int from memberships m where m.organization_id = o.id and m.status <> 'deleted') as members,
        (select coalesce(sum(d.credits), 0)::float8 from usage_days d
          where d.organization_id = o.id and d.day >= ${thisMonth()}::text::date) as credits_this_month,
        coalesce((select a.balance from credit_accounts a where a.organization_id = o.id), 0)::float8 as balance
      from organizations o
      where o.closed_at is null and o.importing_by is null and ${olderThan(sql, 'o.id', below)}
        and ${pattern === null ? sql`true` : sql`o.id in (${found})`}
      order by o.id desc limit ${count}`,
    ({ features, suspended_at, suspension_reason, created_at, ...row }) => ({
      ...row,
      suspension: viewSuspension({ suspended_at, suspension_reason }),
      features: withDefaults(features),
      created_at: new Date(created_at).toISOString(),
    }),
  )
}
