import { type SystemStatements, systemSql } from '#database/system-sql.ts'
import { type AppError, fail } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import { countGuess, forgetGuesses, tooManyCodes } from '#platform/access/limit-guesses.ts'
import type { Caller } from '#platform/access/scope.ts'
import type { SecondFactorEvent } from '#platform/mail/templates.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { issueChallenge, takeChallenge } from './challenges-system.ts'
import { acceptCode } from './codes-system.ts'
import type { Assertion, Proof } from './factor-schemas.ts'
import { type Passkey, requestOptions, verifyAssertion } from './passkeys.ts'

/** The columns of a user that are needed to check factors. */
interface Owner {
  id: string
  email: string
}

/**
 * Counts a guess before the code is checked. Throws auth.too_many_codes beyond the limit, and emails the user once
 * about it.
 */
export async function admitGuess(services: Services, owner: Owner): Promise<void> {
  const sql = systemSql(services.database)
  if ((await countGuess(sql, owner.id)) === 'allowed') return
  await notifyUser(services, sql, owner, 'codes tried')
  throw tooManyCodes()
}

/**
 * Confirms by password or factor that the caller is the user, because someone else may have stolen the session.
 * Throws auth.wrong_proof, auth.factor_challenge_gone, auth.wrong_passkey, auth.too_many_attempts,
 * auth.too_many_codes.
 */
export async function checkProof(services: Services, caller: Caller, proof: Proof): Promise<Owner> {
  const sql = systemSql(services.database)
  const { userId, sessionId, client } = caller
  const [user] = await sql<(Owner & { hash: string | null })[]>`
    select id, email, password_hash as hash from users where id = ${userId}`
  if (!user) throw fail('auth.invalid_token')
  if (proof.password !== undefined) {
    const attempt = { email: user.email, address: client.address }
    await slowDownAttempt(sql, attempt)
    const isRight = await services.passwords.verify(proof.password, user.hash)
    if (!isRight || user.hash === null) throw fail('auth.wrong_proof')
    await forgetAttempts(sql, attempt)
  } else if (proof.code !== undefined) {
    await admitGuess(services, user)
    if (!(await acceptCode(services.secrets, sql, userId, proof.code))) throw fail('auth.wrong_proof')
    await forgetGuesses(sql, userId)
  } else if (proof.passkey !== undefined) {
    const { challenge: token, response } = proof.passkey
    const challenge = await takeChallenge(sql, token, { purpose: 'proof', userId, sessionId })
    if (!challenge) throw fail('auth.factor_challenge_gone')
    const use = await checkPasskey(services, challenge.webauthnChallenge, response, userId)
    await use.store(sql)
  }
  return user
}

/**
 * Verifies a passkey's signature, outside of any transaction. With `onlyUserId`, accepts only that user's passkeys.
 * Returns the passkey's user, and a function that stores the use of the passkey. Throws auth.wrong_passkey. The
 * returned function throws it, too, if another request has used the passkey in the meantime.
 */
export async function checkPasskey(
  { database, config, log }: Services,
  webauthnChallenge: string,
  assertion: Assertion,
  onlyUserId: string | null,
): Promise<{ userId: string; store: (sql: SystemStatements) => Promise<void> }> {
  const [passkey] = await systemSql(database)<Passkey[]>`
    ${selectPasskeys(systemSql(database))}
    where credential_id = ${assertion.id} and user_id = coalesce(${onlyUserId}::uuid, user_id)`
  if (!passkey) throw fail('auth.wrong_passkey')
  const counter = await verifyAssertion(config, webauthnChallenge, assertion, passkey).catch(
    (error: unknown) => {
      log.warn({ err: error, passkey: passkey.id }, 'passkey refused')
      throw error
    },
  )
  return {
    userId: passkey.userId,
    async store(sql) {
      const used = await sql`
        update passkeys set counter = ${counter}, last_used_at = now()
        where id = ${passkey.id} and counter = ${passkey.counter}`
      if (used.count === 0) throw fail('auth.wrong_passkey')
    },
  }
}

export const selectPasskeys = (sql: SystemStatements) => sql`
  select id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey",
    counter::float8 as counter, transports from passkeys`

/** Emails the user about a change or use of their second factors. */
export const notifyUser = (
  { mail, config }: Pick<Services, 'mail' | 'config'>,
  sql: SystemStatements,
  { email }: Pick<Owner, 'email'>,
  event: SecondFactorEvent,
): Promise<void> =>
  mail.send(sql, email, { kind: 'second factor', event, link: `${config.frontendUrl}/account` })

/**
 * The invitation to accept once the second factor is verified. `passwordHash` is null unless the user set a password
 * with a magic link.
 */
export interface PendingInvitation {
  token: string
  byMagicLink: boolean
  passwordHash: string | null
}

interface Account {
  id: string
  /** Hash of the verified password. Null if the user proved their identity by an emailed link. */
  checkedHash: string | null
}

/**
 * Issues a challenge if the account has second factors. Returns the error that asks for the second factor, or null
 * without factors. The challenge stores the pending action, so the caller must throw the error before performing that
 * action.
 */
export async function demandFactor(
  services: Services,
  { id: userId, checkedHash }: Account,
  pending?: PendingInvitation,
): Promise<AppError | null> {
  const { database, config, secrets } = services
  const sql = systemSql(database)
  const passkeys = await sql<Passkey[]>`${selectPasskeys(sql)} where user_id = ${userId} order by id`
  const [other] = await sql<{ totp: boolean; recovery: boolean }[]>`
    select exists (select from totp_factors where user_id = ${userId} and confirmed_at is not null) as totp,
      exists (select from recovery_codes where user_id = ${userId}) as recovery`
  if (!other?.totp && passkeys.length === 0) return null
  const { token, webauthnChallenge } = await issueChallenge(sql, {
    purpose: 'sign_in',
    userId,
    ...(checkedHash !== null && { passwordMark: hashToken(checkedHash) }),
    ...(pending && { seal: (tokenHash) => secrets.encrypt(JSON.stringify(pending), tokenHash) }),
  })
  const methods = [
    ...(other?.totp ? ['totp'] : []),
    ...(passkeys.length > 0 ? ['passkey'] : []),
    ...(other?.recovery ? ['recovery_code'] : []),
  ]
  const more = {
    challenge: token,
    methods,
    ...(passkeys.length > 0 && {
      passkey_options: await requestOptions(config, webauthnChallenge, passkeys),
    }),
  }
  return fail('auth.second_factor_needed', {}, { more })
}
