import type { ISql, TransactionSql } from 'postgres'
import { fail } from '#errors'
import type { Caller, Client } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Queue } from '#platform/jobs/jobs.ts'
import { grantStartingCredits } from '#platform/ledger/starting-credits.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { proveAddress } from './prove-address.ts'

type Purpose = 'verify_email' | 'reset_password' | 'oidc_sign_in'

export const ONE_TIME_SECONDS: Record<Purpose, number> = {
  verify_email: 7 * 86_400,
  reset_password: 3_600,
  oidc_sign_in: 60,
}
/** So many links of a kind a user can have at once; asking for more changes nothing until some have expired. */
const LINKS_MAX = 5

/**
 * A token that proves one thing once. Null: the user has enough of them. `holder`: a secret that the token must be
 * redeemed with.
 */
export async function issueToken(
  sql: ISql,
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

/** Uses a token up and answers whose it was. Throws auth.link_gone. */
export async function redeemOneTimeToken(
  sql: ISql,
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

/** Asks the owner of an address whether he has signed up. */
export async function mailVerification(
  { mail, config }: Pick<Services, 'mail' | 'config'>,
  tx: TransactionSql,
  user: { id: string; email: string },
): Promise<void> {
  const token = await issueToken(tx, user.id, 'verify_email')
  if (token === null) return
  await mail.send(tx, user.email, {
    kind: 'verify email',
    link: `${config.frontendUrl}/verify_email?token=${token}`,
  })
}

/** The same again, for somebody who is signed in and has not confirmed his address. */
export async function resendVerification(services: Services, userId: string): Promise<void> {
  await services.database.sql.begin(async (tx) => {
    const [user] = await tx<{ id: string; email: string }[]>`
      select id, email from users where id = ${userId} and email_verified_at is null`
    if (user) await mailVerification(services, tx, user)
  })
}

/**
 * Confirms the caller's own address. The link alone proves nothing: mail scanners open links, and the owner of an
 * address may open one for an account that someone else signed up. Throws auth.link_gone, auth.link_of_another.
 */
export async function verifyEmail(services: Services, caller: Caller, token: string): Promise<void> {
  await services.database.sql.begin(async (tx) => {
    const userId = await redeemOneTimeToken(tx, token, 'verify_email')
    if (userId !== caller.userId) throw fail('auth.link_of_another')
    await tx`update users set email_verified_at = now(), updated_at = now() where id = ${userId}`
    await grantStartingCredits(tx, services, userId)
  })
}

/** A wish for a new password. Whether the email is anybody's is looked up in the background, so nobody can tell. */
export function resetRequests(services: Services): Queue<{ sealed: string; id: string; about: string[] }> {
  return {
    name: 'password-reset',
    retries: 5,
    firstRetrySeconds: 5,
    timeoutSeconds: 60,
    concurrency: 1,
    async run({ sealed, id }) {
      const email = services.secrets.decrypt(sealed, id)
      await services.database.sql.begin(async (tx) => {
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

/** Always the same, whoever asks for whom. */
export async function requestReset(services: Services, requestId: string, email: string): Promise<void> {
  const { database, jobs, mail, secrets } = services
  const sealed = secrets.encrypt(normalizeEmail(email), requestId)
  await jobs.add(database.sql, resetRequests(services), {
    sealed,
    id: requestId,
    about: mail.marksOf(email).slice(0, 1),
  })
}

/** Sets a new password and ends every session, API key and mailed link of the user. Throws auth.link_gone. */
export async function resetPassword(
  services: Services,
  client: Client,
  input: { token: string; password: string },
): Promise<void> {
  const passwordHash = await services.passwords.hash(input.password)
  await commitWithAnswer(() =>
    services.database.sql.begin(async (tx) => {
      const userId = await redeemOneTimeToken(tx, input.token, 'reset_password')
      await proveAddress(services, tx, client, userId, passwordHash)
    }),
  )
}
