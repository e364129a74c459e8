import type { Database } from '#database/connect.ts'
import { olderThan } from '#database/keyset.ts'
import { patternHolding, SEARCHED_MAX } from '#database/like.ts'
import { UUID } from '#database/new-id.ts'
import { systemSql } from '#database/system-sql.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { thisMonth } from '#platform/limits/calendar.ts'
import { fullName } from './read-users-system.ts'
import type { ListedPerson } from './schemas.ts'

/**
 * Returns the people with an account, newest first, for the system administrator. `q` matches an id, an email address,
 * or among the newest SEARCHED_MAX accounts, a part of the name or email address. Usage is read from daily sums of this
 * month (UTC).
 */
export function listAllUsers(
  database: Database,
  query: { q?: string; limit?: number; cursor?: string },
): Promise<Page<ListedPerson>> {
  const sql = systemSql(database)
  const pattern = patternHolding(query.q)
  const text = query.q?.trim().toLowerCase() ?? ''
  const found = sql`
    select u.id from users u where u.email = ${text} or u.id = ${UUID.test(text) ? text : null}::uuid
    union all
    select u.id from (
      select n.id, n.email, n.first_name, n.last_name from users n
      where n.registered_at is not null and n.leaving is null order by n.id desc limit ${SEARCHED_MAX}) u
    where u.email ilike ${pattern} or (u.first_name || ' ' || u.last_name) ilike ${pattern}`
  return readPage(
    query,
    (below, count) => sql<Omit<ListedPerson, 'full_name'>[]>`
      with people as (
        select * from users u
        where u.registered_at is not null and u.leaving is null and ${olderThan(sql, 'u.id', below)}
          and ${pattern === null ? sql`true` : sql`u.id in (${found})`}
        order by u.id desc limit ${count}),
      spent as (
        select d.user_id, sum(d.credits) as credits from usage_days d
        where d.day >= ${thisMonth()}::text::date and d.user_id in (select id from people)
          and d.organization_id in (
            select m.organization_id from memberships m where m.user_id in (select id from people))
        group by d.user_id)
      select u.id, u.email, u.first_name, u.last_name, u.is_system_admin, u.created_at,
        u.email_verified_at is not null as email_verified, coalesce(spent.credits, 0)::float8 as credits_this_month,
        (select max(s.last_used_at) from sessions s where s.user_id = u.id) as last_active_at,
        coalesce((
          select json_agg(json_build_object('id', o.id, 'name', o.name, 'role_name', r.name, 'status', m.status)
            order by o.id)
          from memberships m join organizations o on o.id = m.organization_id and o.closed_at is null
          join roles r on r.id = m.role_id
          where m.user_id = u.id and m.status in ('active', 'suspended')), '[]') as organizations
      from people u left join spent on spent.user_id = u.id order by u.id desc`,
    (row) => ({
      ...row,
      full_name: fullName(row),
      last_active_at: row.last_active_at && new Date(row.last_active_at).toISOString(),
      created_at: new Date(row.created_at).toISOString(),
    }),
  )
}
