import { createHash } from 'node:crypto'
import type { Language } from '@parley/messages/languages'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { secondsToMidnight } from '#platform/limits/calendar.ts'

/**
 * Maximum number of emailed invitations per day (UTC), by organization and by sender (docs/limits.md).
 * @limit emailed invitations per organization and day (UTC)
 */
const OF_ORGANIZATION_MAX = 200
/** @limit emailed invitations per sender and day */
const OF_SENDER_MAX = 100
/** @limit emailed invitations per day of a sender whose own email address is not confirmed */
const OF_UNVERIFIED_SENDER_MAX = 10

/** Errors that countInvitation can throw. */
export const CAP_ERRORS = [
  'invitation.organization_cap',
  'invitation.sender_cap',
  'invitation.unverified_cap',
] as const

export interface Sender {
  name: string
  isVerified: boolean
  language: Language | null
}

/**
 * Counts an invitation toward the daily limits of its organization and its sender. Runs in the caller's transaction,
 * so an invitation that fails is not counted. Throws invitation.organization_cap, invitation.sender_cap,
 * invitation.unverified_cap.
 */
export async function countInvitation(
  tx: TenantTransaction,
  { organizationId, userId }: Scope<'users:write'>,
): Promise<Sender> {
  const [sender] = await tx<Sender[]>`
    select trim(first_name || ' ' || last_name) as name, email_verified_at is not null as "isVerified", language
    from users where id = ${userId}`
  if (!sender) throw fail('auth.invalid_token')
  const [organization, user] = [hashOf('organization', organizationId), hashOf('sender', userId)]
  // The keys are sorted to prevent deadlocks between concurrent invitations.
  const rows = await tx<{ key_hash: string; sent: number }[]>`
    insert into invitation_days as d (key_hash, day, sent)
    select key, (now() at time zone 'utc')::date, 1 from unnest(${[organization, user].sort()}::text[]) as key
    on conflict (key_hash, day) do update set sent = d.sent + 1
    returning key_hash, sent`
  const isOver = (key: string, limit: number): boolean =>
    rows.some(({ key_hash, sent }) => key_hash === key && sent > limit)
  const options = { retryAfter: secondsToMidnight() }
  if (isOver(organization, OF_ORGANIZATION_MAX))
    throw fail('invitation.organization_cap', { limit: OF_ORGANIZATION_MAX }, options)
  if (!sender.isVerified && isOver(user, OF_UNVERIFIED_SENDER_MAX))
    throw fail('invitation.unverified_cap', { limit: OF_UNVERIFIED_SENDER_MAX }, options)
  if (isOver(user, OF_SENDER_MAX)) throw fail('invitation.sender_cap', { limit: OF_SENDER_MAX }, options)
  return sender
}

const hashOf = (kind: string, id: string): string =>
  createHash('sha256').update(`${kind} ${id}`).digest('base64url')
