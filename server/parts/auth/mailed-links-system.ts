import { type SystemStatements, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { Caller, Client } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Queue } from '#platform/jobs/jobs.ts'
import { grantStartingCredits } from '#platform/ledger/starting-credits.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { removeKeysOf } from '../api-keys/index.ts'
import { endAllSessions } from './sessions-system.ts'

type Purpose = 'verify_email' | 'reset_password' | 'oidc_sign_in'

export const ONE_TIME_SECONDS: Record<Purpose, number> = {
  verify_email: 7 * 86_400,
  reset_password: 3_600,
  oidc_sign_in: 60,
}
/**
 * Maximum number of unexpired links per user and purpose. Further requests have no effect until a link expires.
 * @limit unexpired links by email per user and purpose
 */
const LINKS_MAX = 5

/**
 * Issues a single-use token. Redeeming the token also requires the secret `holder`. Returns null if the user has too
 * many unexpired tokens.
 */
export async function issueToken(
  sql: SystemStatements,
  userId: string,
  purpose: Purpose,
  holder = '',
): Promise<string | null> {
  const token = newToken('ot')
  const made = await sql`
    insert into one_time_tokens (token_hash, purpose, user_id, expires_at)
    select ${hashToken(token + holder)}, ${purpose}, ${userId}, now() + ${ONE_TIME_SECONDS[purpose]} * interval '1 second'
    where (select count(*) from one_time_tokens
      where user_id = ${userId} and purpose = ${purpose} and expires_at > now()) < ${LINKS_MAX}`
  return made.count > 0 ? token : null
}

/** Consumes a token. Returns its user's id. Throws auth.link_gone. */
export async function redeemOneTimeToken(
  sql: SystemStatements,
  token: string,
  purpose: Purpose,
  holder = '',
): Promise<string> {
  const [used] = await sql<{ user_id: string }[]>`
    delete from one_time_tokens
    where token_hash = ${hashToken(token + holder)} and purpose = ${purpose} and expires_at > now() returning user_id`
  if (!used) throw fail('auth.link_gone')
  return used.user_id
}

/** Emails a verification link to a user. */
export async function mailVerification(
  { mail, config }: Pick<Services, 'mail' | 'config'>,
  tx: SystemTransaction,
  user: { id: string; email: string },
): Promise<void> {
  const token = await issueToken(tx, user.id, 'verify_email')
  if (token === null) return
  await mail.send(tx, user.email, {
    kind: 'verify email',
    link: `${config.frontendUrl}/verify_email?token=${token}`,
  })
}

/** Emails another verification link to a user whose address is unverified. */
export async function resendVerification(services: Services, userId: string): Promise<void> {
  await systemSql(services.database).begin(async (tx) => {
    const [user] = await tx<{ id: string; email: string }[]>`
      select id, email from users where id = ${userId} and email_verified_at is null`
    if (user) await mailVerification(services, tx, user)
  })
}

/**
 * Verifies the caller's own address. The link alone proves nothing: mail scanners open links, and so may the owner of
 * an address that someone else used to sign up. Throws auth.link_gone, auth.link_of_another.
 */
export async function verifyEmail(services: Services, caller: Caller, token: string): Promise<void> {
  await systemSql(services.database).begin(async (tx) => {
    const userId = await redeemOneTimeToken(tx, token, 'verify_email')
    if (userId !== caller.userId) throw fail('auth.link_of_another')
    await tx`update users set email_verified_at = now(), updated_at = now() where id = ${userId}`
    await grantStartingCredits(tx, services, userId)
  })
}

/**
 * Returns the queue of password resets. Resets run in the background, so that response times don't reveal whether an
 * account exists.
 */
export function resetRequests(services: Services): Queue<{ sealed: string; id: string; about: string[] }> {
  return {
    name: 'password-reset',
    retries: 5,
    firstRetrySeconds: 5,
    timeoutSeconds: 60,
    concurrency: 1,
    async run({ sealed, id }) {
      const email = services.secrets.decrypt(sealed, id)
      await systemSql(services.database).begin(async (tx) => {
        const [user] = await tx<{ id: string }[]>`
          select id from users where email = ${email} and registered_at is not null`
        const token = user && (await issueToken(tx, user.id, 'reset_password'))
        if (!token) return
        const link = `${services.config.frontendUrl}/reset_password?token=${token}`
        await services.mail.send(tx, email, { kind: 'reset password', link })
      })
    },
  }
}

/** Queues a password reset. Behaves in the same way for known and unknown addresses. */
export async function requestReset(services: Services, requestId: string, email: string): Promise<void> {
  const { database, jobs, mail, secrets } = services
  const sealed = secrets.encrypt(normalizeEmail(email), requestId)
  await jobs.add(systemSql(database), resetRequests(services), {
    sealed,
    id: requestId,
    about: mail.hmacsOf(email).slice(0, 1),
  })
}

/** Sets a new password, and ends all of the user's sessions, API keys and emailed links. Throws auth.link_gone. */
export async function resetPassword(
  services: Services,
  client: Client,
  input: { token: string; password: string },
): Promise<void> {
  const passwordHash = await services.passwords.hash(input.password)
  await commitWithAnswer(() =>
    systemSql(services.database).begin(async (tx) => {
      const userId = await redeemOneTimeToken(tx, input.token, 'reset_password')
      await proveAddress(services, tx, client, userId, passwordHash)
    }),
  )
}

/**
 * Verifies the address of a registered account, after an accepted magic link, a password reset, or the first sign-in
 * of an OpenID identity. Sets the password to `passwordHash`, or removes it if null. Grants pending starting credits
 * and ends older access.
 */
export async function proveAddress(
  services: Pick<Services, 'config' | 'secrets'>,
  tx: SystemTransaction,
  client: Client,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  await tx`
    update users set password_hash = ${passwordHash}, updated_at = now(),
      email_verified_at = coalesce(email_verified_at, now())
    where id = ${userId}`
  // Lock order: credit accounts before budgets. endOlderAccess deletes the budgets of API keys.
  await grantStartingCredits(tx, services, userId)
  await endOlderAccess(tx, client, userId, passwordHash === null ? 'address_proven' : 'password_changed')
}

/**
 * Ends all existing access to the account: sessions, pending sign-ins, API keys, MCP client grants and emailed links,
 * except links to leave an organization. Keeps second factors, because only accounts with verified addresses can have
 * any.
 */
export async function endOlderAccess(
  tx: SystemStatements,
  client: Client,
  userId: string,
  reason: 'address_proven' | 'password_changed',
): Promise<void> {
  await endAllSessions(tx, userId, reason)
  await removeKeysOf(tx, userId, client)
  await tx`delete from one_time_tokens where user_id = ${userId} and purpose <> 'leave_organization'`
  await tx`delete from auth_challenges where user_id = ${userId}`
}
