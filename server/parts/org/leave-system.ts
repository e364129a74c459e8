import type { Database } from '#database/connect.ts'
import { systemSql, tenantSql, tenantTransaction } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { Caller, Client } from '#platform/access/scope.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import { endOwnMembership } from './members.ts'

/**
 * Ends the caller's own membership. Throws org.not_found, org.last_owner, and org.personal for the caller's personal
 * organization.
 */
export async function leaveOrganization(
  database: Database,
  caller: Caller,
  organizationId: string,
): Promise<void> {
  const sql = tenantSql(database, { organizationId, userId: caller.userId })
  await sql.begin((tx) => endOwnMembership(tx, caller, organizationId))
}

/** Returns the organization that an emailed link lets its user leave. Throws auth.link_gone. */
export async function showLeaveLink(
  database: Database,
  token: string,
): Promise<{ organization: { id: string; name: string } }> {
  const [found] = await systemSql(database)<{ id: string; name: string }[]>`
    select o.id, o.name from one_time_tokens t
    join organizations o on o.id = t.organization_id and o.closed_at is null
    join memberships m on m.organization_id = o.id and m.user_id = t.user_id and m.status in ('active', 'suspended')
    where t.token_hash = ${hashToken(token)} and t.purpose = 'leave_organization' and t.expires_at > now()`
  if (!found) throw fail('auth.link_gone')
  return { organization: found }
}

/** Ends the membership that an emailed link belongs to. Throws auth.link_gone, org.not_found, org.last_owner. */
export async function leaveByLink(database: Database, client: Client, token: string): Promise<void> {
  await systemSql(database).begin(async (tx) => {
    const [used] = await tx<{ userId: string; organizationId: string }[]>`
      delete from one_time_tokens
      where token_hash = ${hashToken(token)} and purpose = 'leave_organization' and organization_id is not null
        and expires_at > now()
      returning user_id as "userId", organization_id as "organizationId"`
    if (!used) throw fail('auth.link_gone')
    await endOwnMembership(
      tenantTransaction(tx, used),
      { userId: used.userId, apiKeyId: null, client },
      used.organizationId,
    )
  })
}
