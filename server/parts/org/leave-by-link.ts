import type { Sql } from 'postgres'
import { fail } from '#errors'
import type { Client } from '#platform/access/scope.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import { endOwnMembership } from './members.ts'

/** Returns the organization that a mailed link leaves. Throws auth.link_gone. */
export async function showLeaveLink(
  sql: Sql,
  token: string,
): Promise<{ organization: { id: string; name: string } }> {
  const [found] = await sql<{ id: string; name: string }[]>`
    select o.id, o.name from one_time_tokens t
    join organizations o on o.id = t.organization_id and o.closed_at is null
    join memberships m on m.organization_id = o.id and m.user_id = t.user_id and m.status in ('active', 'suspended')
    where t.token_hash = ${hashToken(token)} and t.purpose = 'leave_organization' and t.expires_at > now()`
  if (!found) throw fail('auth.link_gone')
  return { organization: found }
}

/** Ends the membership that a mailed link is about. Throws auth.link_gone, org.not_found, org.last_owner. */
export async function leaveByLink(sql: Sql, client: Client, token: string): Promise<void> {
  await sql.begin(async (tx) => {
    const [used] = await tx<{ userId: string; organizationId: string }[]>`
      delete from one_time_tokens
      where token_hash = ${hashToken(token)} and purpose = 'leave_organization' and expires_at > now()
      returning user_id as "userId", organization_id as "organizationId"`
    if (!used) throw fail('auth.link_gone')
    await endOwnMembership(tx, { userId: used.userId, apiKeyId: null, client }, used.organizationId)
  })
}
