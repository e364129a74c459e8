import type { ISql } from 'postgres'

/**
 * SQL condition: the caller may see the name and email address of the member of membership `m`. A member who was
 * added by another user becomes visible by opening the organization. Before that, only users who share another
 * organization with the member can see the member.
 */
export const isVisible = (sql: ISql, callerId: string) => sql`
  (m.opened_at is not null or m.user_id = ${callerId} or ${sharesOrganization(sql, callerId, sql`m.user_id`)})`

/** SQL condition: the caller is an active member of an organization that the person belongs to and has opened. */
export const sharesOrganization = (sql: ISql, callerId: string, personId: ReturnType<ISql>) => sql`exists (
  select from memberships own
  join memberships theirs on theirs.organization_id = own.organization_id
  join organizations shared on shared.id = own.organization_id and shared.closed_at is null
  where own.user_id = ${callerId} and own.status = 'active' and theirs.user_id = ${personId}
    and theirs.status in ('active', 'suspended') and theirs.opened_at is not null)`
