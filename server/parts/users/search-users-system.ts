import type { Database } from '#database/connect.ts'
import { olderThan } from '#database/keyset.ts'
import { patternHolding } from '#database/like.ts'
import { systemSql } from '#database/system-sql.ts'
import type { Scope } from '#platform/access/scope.ts'
import { sharesOrganization } from '#platform/access/visible-members.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { fullName } from './read-users-system.ts'
import type { FoundUser, SearchQuery } from './schemas.ts'

/**
 * Returns the people whose name or email address contains `q`, newest account first: those who share an organization
 * with the caller, without the members of the scope's organization.
 */
export function searchUsers(
  database: Database,
  scope: Scope<'users:write'>,
  query: SearchQuery,
): Promise<Page<FoundUser>> {
  const sql = systemSql(database)
  const pattern = patternHolding(query.q)
  return readPage(
    query,
    (below, count) => sql<Omit<FoundUser, 'full_name'>[]>`
      select u.id, u.email, u.first_name, u.last_name from users u
      where u.registered_at is not null and ${olderThan(sql, 'u.id', below)}
        and (u.email ilike ${pattern} or (u.first_name || ' ' || u.last_name) ilike ${pattern})
        and ${sharesOrganization(sql, scope.userId, sql`u.id`)}
        and not exists (
          select from memberships m
          where m.organization_id = ${scope.organizationId} and m.user_id = u.id and m.status <> 'deleted')
      order by u.id desc limit ${count}`,
    (row) => ({ ...row, full_name: fullName(row) }),
  )
}
