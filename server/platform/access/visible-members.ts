import type { ISql } from 'postgres'

/**
 * Whether a caller may see the name and address of the member of a membership `m`. Members who were added become
 * visible once they have opened the organization, or to callers who share another organization with them.
 */
export const isVisible = (sql: ISql, callerId: string) => sql`
  (m.opened_at is not null or m.user_id = ${callerId} or ${sharesOrganization(sql, callerId, sql`m.user_id`)})`

/** Whether the caller is an active member of an organization that the person has opened as a member. */
export const sharesOrganization = (sql: ISql, callerId: string, personId: ReturnType<ISql>) => sql`exists (
  select from memberships own
  join memberships theirs on theirs.organization_id = own.organization_id
  join organizations shared on shared.id = own.organization_id and shared.closed_at is null
  where own.user_id = ${callerId} and own.status = 'active' and theirs.user_id = ${personId}
    and theirs.status in ('active', 'suspended') and theirs.opened_at is not null)`
