import { newId } from '#database/new-id.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { AppError, fail } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import { findAssignableRole } from '#platform/access/role-rules.ts'
import type { Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { normalizeEmail, refuseReserved } from '#platform/mail/address.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { countInvitation, type Sender } from './daily-caps.ts'
import { readInvitation, statusNow } from './read-invitations.ts'
import { refuseKnown } from './refuse-known-system.ts'
import {
  type BulkResult,
  isEmail,
  type NewInvitation,
  type NewInvitations,
  type SentInvitation,
} from './schemas.ts'

/** Lifetime of an invitation. */
const LIFETIME_DAYS = 7
/** Minimum level of an inviter, so only admins and owners can invite. */
export const INVITER_LEVEL_MIN = 80
/** Maximum number of characters of a malformed address in an error message. */
const SHOWN_CHARACTERS_MAX = 100

type Inviter = Scope<'users:write'>

/**
 * Invites an address that has no account. Throws user.exists, user.is_member, invitation.exists, auth.email_reserved,
 * and the errors of countInvitation and findAssignableRole.
 */
export async function createInvitation(
  services: Services,
  scope: Inviter,
  input: NewInvitation,
): Promise<SentInvitation> {
  checkInviter(scope)
  return scope.sql
    .begin(async (tx) => {
      await lockOrganization(tx, scope.organizationId, 'records')
      return insertInvitation(services, tx, scope, { ...input, byMagicLink: false })
    })
    .catch(refuseSecond)
}

/**
 * Creates several invitations independently of each other. The result contains the invitation or the error for each
 * address.
 */
export async function createInvitations(
  services: Services,
  scope: Inviter,
  { invitations, message }: NewInvitations,
): Promise<BulkResult> {
  checkInviter(scope)
  const data: BulkResult['data'] = []
  for (const { email, role_id } of invitations) {
    try {
      if (!isEmail(email)) throw fail('invitation.email', { email: email.slice(0, SHOWN_CHARACTERS_MAX) })
      const input = { email, role_id, ...(message !== undefined && { message }) }
      data.push({ email, status: 'created', invitation: await createInvitation(services, scope, input) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { message: detail, code, values } = error
      data.push({ email, status: 'error', detail, code, ...(values && { values }) })
    }
  }
  return { data }
}

/**
 * Inserts an invitation and sends its email, in the caller's transaction. Omits the sender's message if the sender's
 * address isn't verified.
 */
export async function insertInvitation(
  services: Pick<Services, 'mail' | 'config'>,
  tx: TenantTransaction,
  scope: Inviter,
  input: NewInvitation & { byMagicLink: boolean },
): Promise<SentInvitation> {
  refuseReserved(input.email)
  const email = normalizeEmail(input.email)
  const role = await findAssignableRole(tx, scope, input.role_id)
  await refuseKnown(tx, scope, email)
  await tx`
    update invitations set status = 'expired', updated_at = now()
    where organization_id = ${scope.organizationId} and email = ${email} and status = 'pending'
      and expires_at <= now()`
  const sender = await countInvitation(tx, scope)
  const message = sender.isVerified ? (input.message ?? null) : null
  const [id, token] = [newId(), newToken('inv')]
  await tx`
    insert into invitations (id, organization_id, email, role_id, message, token_hash, status, by_magic_link,
      invited_by, expires_at)
    values (${id}, ${scope.organizationId}, ${email}, ${role.id}, ${message}, ${hashToken(token)},
      'pending', ${input.byMagicLink}, ${scope.userId}, now() + ${LIFETIME_DAYS} * interval '1 day')`
  await recordEvent(tx, scope.organizationId, scope, {
    action: 'invitation.created',
    recordId: id,
    after: { email, role: role.name },
  })
  const given = input.message ?? null
  return mailInvitation(services, tx, scope, { id, token, byMagicLink: input.byMagicLink, sender, given })
}

/**
 * Sends a new link, valid for seven days, and revokes the previous link. Throws invitation.not_found,
 * invitation.not_pending, invitation.exists, and the errors of countInvitation and findAssignableRole.
 */
export async function resendInvitation(
  services: Services,
  scope: Inviter,
  id: string,
): Promise<SentInvitation> {
  checkInviter(scope)
  return scope.sql
    .begin(async (tx) => {
      await lockOrganization(tx, scope.organizationId, 'records')
      const { byMagicLink, status, roleId } = await lockInvitation(tx, scope, id)
      if (status !== 'pending' && status !== 'expired') throw fail('invitation.not_pending', { status })
      // The caller must be allowed to assign the role. The original sender may have had a higher level than the
      // caller.
      await findAssignableRole(tx, scope, roleId)
      const sender = await countInvitation(tx, scope)
      const token = newToken('inv')
      await tx`
        update invitations set status = 'pending', token_hash = ${hashToken(token)}, updated_at = now(),
          invited_by = ${scope.userId}, expires_at = now() + ${LIFETIME_DAYS} * interval '1 day'
        where id = ${id} and organization_id = ${scope.organizationId}`
      await recordEvent(tx, scope.organizationId, scope, { action: 'invitation.resent', recordId: id })
      return mailInvitation(services, tx, scope, { id, token, byMagicLink, sender })
    })
    .catch(refuseSecond)
}

/** Revokes an invitation. Throws invitation.not_found, invitation.not_pending. */
export async function revokeInvitation(scope: Inviter, id: string): Promise<void> {
  checkInviter(scope)
  await scope.sql.begin(async (tx) => {
    await lockOrganization(tx, scope.organizationId, 'members')
    const { status, email } = await lockInvitation(tx, scope, id)
    if (status !== 'pending') throw fail('invitation.not_pending', { status })
    await revokePending(tx, scope.organizationId, email)
    await tx`
      update memberships m set status = 'deleted', role_id = null, updated_at = now()
      from users u
      where m.organization_id = ${scope.organizationId} and m.status = 'invited' and u.id = m.user_id
        and u.email = ${email}`
    await recordEvent(tx, scope.organizationId, scope, {
      action: 'invitation.revoked',
      recordId: id,
      before: { status },
      after: { status: 'revoked' },
    })
  })
}

/** Revokes the organization's pending invitations to an email address. */
export async function revokePending(
  tx: TenantTransaction,
  organizationId: string,
  email: string,
): Promise<void> {
  await tx`
    update invitations set status = 'revoked', updated_at = now()
    where organization_id = ${organizationId} and email = ${email} and status = 'pending'`
}

export function checkInviter(scope: Inviter): void {
  if (scope.role.level < INVITER_LEVEL_MIN) throw fail('invitation.level')
}

async function lockInvitation(tx: TenantTransaction, scope: Inviter, id: string) {
  const [row] = await tx<{ status: string; email: string; byMagicLink: boolean; roleId: string }[]>`
    select ${statusNow(tx)} as status, i.email, i.by_magic_link as "byMagicLink", i.role_id as "roleId"
    from invitations i
    where i.id = ${id} and i.organization_id = ${scope.organizationId} for update`
  if (!row) throw fail('invitation.not_found', { value: id })
  return row
}

interface SendableInvitation {
  id: string
  token: string
  byMagicLink: boolean
  sender: Sender
  /** The message of a new invitation, which an unverified sender's invitation does not store. */
  given?: string | null
}

async function mailInvitation(
  { mail, config }: Pick<Services, 'mail' | 'config'>,
  tx: TenantTransaction,
  scope: Inviter,
  { id, token, byMagicLink, sender, given }: SendableInvitation,
): Promise<SentInvitation> {
  const invitation = await readInvitation(tx, scope.organizationId, id)
  const both = { organization: invitation.organization.name, inviter: sender.name }
  const message = sender.isVerified ? invitation.message : null
  const link = `${config.frontendUrl}/${byMagicLink ? 'magic_link' : 'invite'}?token=${token}`
  await mail.send(
    tx,
    invitation.email,
    byMagicLink ? { kind: 'magic link', ...both, link } : { kind: 'invitation', ...both, message, link },
    { about: [scope.organizationId, scope.userId], language: sender.language },
  )
  const sent = {
    ...invitation,
    email_sent: config.smtpUrl !== null,
    message_left_out: message === null && Boolean(given ?? invitation.message),
  }
  return byMagicLink ? sent : { ...sent, token }
}

/**
 * Handles a rejected insert: throws invitation.exists for a second pending invitation of an organization to the same
 * address.
 */
export const refuseSecond = onUniqueViolation('invitation.exists')
