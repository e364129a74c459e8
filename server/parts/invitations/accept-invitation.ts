import type { TransactionSql } from 'postgres'
import { fail } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Client } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import { putMember } from '../org/index.ts'
import { validateToken } from './read-invitations.ts'

interface Accepted {
  id: string
  organizationId: string
  email: string
  roleId: string
}

/**
 * Uses up an invitation's token, once, whoever else tries at the same moment, and locks the organization as all that
 * changes its members does. It is pending again when the caller's transaction fails. Throws invitation.not_found, invitation.gone, invitation.role_gone.
 */
export async function redeemToken(
  tx: TransactionSql,
  token: string,
  { byMagicLink }: { byMagicLink: boolean },
): Promise<Accepted> {
  const [found] = await tx<{ organization_id: string }[]>`
    select organization_id from invitations where token_hash = ${hashToken(token)}`
  if (!found) throw fail('invitation.not_found')
  await lockOrganization(tx, found.organization_id, 'members')
  const [used] = await tx<Accepted[]>`
    update invitations set status = 'accepted', updated_at = now()
    where token_hash = ${hashToken(token)} and status = 'pending' and expires_at > now()
      and by_magic_link = ${byMagicLink}
    returning id, organization_id as "organizationId", email, role_id as "roleId"`
  if (used) return used
  // It is not to be had: this says why. A token of the other kind is none here.
  await validateToken(tx, token)
  throw fail('invitation.not_found')
}

/** Makes the user a member as the invitation says. */
export async function joinByInvitation(
  tx: TransactionSql,
  { id, organizationId, roleId }: Accepted,
  { userId, client }: { userId: string; client: Client },
): Promise<void> {
  const [role] = await tx<{ name: string }[]>`
    select name from roles where id = ${roleId} and organization_id = ${organizationId} for share`
  if (!role) throw fail('invitation.role_gone')
  await putMember(tx, organizationId, { userId, roleId, status: 'active', isOpened: true })
  const actor = { userId, apiKeyId: null, client }
  await recordEvent(tx, organizationId, actor, {
    action: 'invitation.accepted',
    recordId: id,
    after: { member: userId, role: role.name },
  })
}
