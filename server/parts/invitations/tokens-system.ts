import type { Database } from '#database/connect.ts'
import {
  type SystemStatements,
  type SystemTransaction,
  systemSql,
  tenantTransaction,
} from '#database/system-sql.ts'
import { AppError, fail, SECRET_VALUE } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import { covers } from '#platform/access/permissions.ts'
import { findAssignableRole, permissionsOf } from '#platform/access/role-rules.ts'
import type { Client } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import { putMember } from '../org/index.ts'
import { selectInvitations, view } from './read-invitations.ts'
import type { InvitationView, ShownInvitation, ValidInvitation } from './schemas.ts'
import { INVITER_LEVEL_MIN } from './send-invitations.ts'

/*
 * The functions below read across tenants, because the organization is known only after the token is found, and the
 * token's holder isn't a member yet.
 */

interface Accepted {
  id: string
  organizationId: string
  email: string
  roleId: string
}

/**
 * Consumes an invitation's token, so only one of several concurrent requests succeeds. Locks the organization, as
 * every change of members does. If the caller's transaction rolls back, the invitation is pending again. Throws
 * invitation.not_found, invitation.gone, invitation.role_gone, invitation.sender_gone.
 */
export async function redeemToken(
  tx: SystemTransaction,
  token: string,
  { byMagicLink }: { byMagicLink: boolean },
): Promise<Accepted> {
  const [found] = await tx<{ organization_id: string }[]>`
    select organization_id from invitations where token_hash = ${hashToken(token)}`
  if (!found) throw unknownToken()
  // A closed organization is not named to the token's holder.
  await lockOrganization(tx, found.organization_id, 'members').catch((error: unknown) => {
    throw error instanceof AppError ? unknownToken() : error
  })
  const [used] = await tx<Accepted[]>`
    update invitations set status = 'accepted', updated_at = now()
    where token_hash = ${hashToken(token)} and status = 'pending' and expires_at > now()
      and by_magic_link = ${byMagicLink}
    returning id, organization_id as "organizationId", email, role_id as "roleId"`
  if (used) {
    await checkSender(tx, used)
    return used
  }
  // Throws the specific error, if any. Otherwise the invitation is valid, but `byMagicLink` doesn't match.
  await findByToken(tx, token)
  throw unknownToken()
}

const unknownToken = (): AppError => fail('invitation.not_found', { field: 'token', value: SECRET_VALUE })

/**
 * Throws invitation.sender_gone if the sender could not send the invitation any more, because they left the
 * organization or have a lower role. Throws invitation.role_gone. In a transaction that has locked the members, they and
 * the roles stay as they are until its end.
 */
async function checkSender(
  sql: SystemStatements,
  { id, organizationId, roleId }: Pick<Accepted, 'id' | 'organizationId' | 'roleId'>,
): Promise<void> {
  const [sender] = await sql<{ id: string; name: string; level: number; permissions: string[] }[]>`
    select r.id, r.name, r.hierarchy_level as level, ${permissionsOf(sql)} as permissions
    from invitations i
    join memberships m on m.organization_id = i.organization_id and m.user_id = i.invited_by and m.status = 'active'
    join roles r on r.id = m.role_id
    where i.id = ${id} for share of r`
  const holds = (permission: string): boolean => covers(sender?.permissions ?? [], permission)
  if (!sender || sender.level < INVITER_LEVEL_MIN || !holds('users:write'))
    throw fail('invitation.sender_gone')
  await findAssignableRole(sql, { organizationId, role: sender, holds }, roleId).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw fail(error.code === 'role.not_found' ? 'invitation.role_gone' : 'invitation.sender_gone')
  })
}

/** Makes the user a member with the invitation's role. Throws invitation.role_gone. */
export async function joinByInvitation(
  tx: SystemTransaction,
  { id, organizationId, roleId }: Accepted,
  { userId, client }: { userId: string; client: Client },
): Promise<void> {
  const [role] = await tx<{ name: string }[]>`
    select name from roles where id = ${roleId} and organization_id = ${organizationId} for share`
  if (!role) throw fail('invitation.role_gone')
  const tenant = tenantTransaction(tx, { organizationId, userId: null })
  await putMember(tenant, organizationId, { userId, roleId, status: 'active', isOpened: true })
  const actor = { userId, apiKeyId: null, client }
  await recordEvent(tx, organizationId, actor, {
    action: 'invitation.accepted',
    recordId: id,
    after: { member: userId, role: role.name },
  })
}

/**
 * Returns the invitation that a token belongs to. `byMagicLink` restricts the search to invitations with a magic link
 * (true) or without one (false). Throws invitation.not_found, invitation.gone, invitation.role_gone,
 * invitation.sender_gone.
 */
export const validateToken = (
  database: Database,
  token: string,
  kind: { byMagicLink?: boolean } = {},
): Promise<ValidInvitation> => findByToken(systemSql(database), token, kind)

async function findByToken(
  sql: SystemStatements,
  token: string,
  { byMagicLink }: { byMagicLink?: boolean } = {},
): Promise<ValidInvitation> {
  const [row] = await sql<InvitationView[]>`
    ${selectInvitations(sql)} where i.token_hash = ${hashToken(token)} and o.closed_at is null
      and i.by_magic_link = coalesce(${byMagicLink ?? null}, i.by_magic_link)`
  if (!row) throw unknownToken()
  if (row.status !== 'pending') throw fail('invitation.gone', { status: row.status })
  const { email, organization, role, expires_at } = view(row)
  if (role === null) throw fail('invitation.role_gone')
  await checkSender(sql, { id: row.id, organizationId: organization.id, roleId: role.id })
  return { valid: true, email, organization, role, expires_at }
}

/** Returns the invitation details that a token's holder may see. Throws the errors of validateToken. */
export async function showInvitation(database: Database, token: string): Promise<ShownInvitation> {
  const sql = systemSql(database)
  const valid = await findByToken(sql, token)
  const [people] = await sql<Pick<ShownInvitation, 'inviter' | 'message' | 'account'>[]>`
    select coalesce(trim(inviter.first_name || ' ' || inviter.last_name), '') as inviter, i.message,
      case when invited.registered_at is null then 'none'
        when invited.email_verified_at is null then 'unconfirmed' else 'confirmed' end as account
    from invitations i left join users inviter on inviter.id = i.invited_by
    left join users invited on invited.email = i.email
    where i.token_hash = ${hashToken(token)}`
  if (!people) throw unknownToken()
  return { ...valid, ...people }
}
