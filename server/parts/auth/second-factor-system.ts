import { type SystemStatements, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail, sentence } from '#errors'
import { forgetGuesses } from '#platform/access/limit-guesses.ts'
import type { Client } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { joinByInvitation, redeemToken } from '../invitations/index.ts'
import { type Challenge, issueChallenge, takeChallenge, tryChallenge } from './challenges-system.ts'
import { admitGuess, checkPasskey, notifyUser, type PendingInvitation } from './check-factor-system.ts'
import { acceptCode, acceptRecoveryCode } from './codes-system.ts'
import type { Assertion, SecondFactor } from './factor-schemas.ts'
import { endOlderAccess, proveAddress } from './mailed-links-system.ts'
import { requestOptions } from './passkeys.ts'
import type { SignedIn } from './schemas.ts'
import { signedIn } from './sign-in-system.ts'

/**
 * Completes a sign-in with a factor and the challenge from demandFactor. After a wrong code, the challenge remains
 * valid for a few attempts. A wrong passkey ends the challenge. Throws auth.challenge_gone, auth.wrong_code,
 * auth.wrong_recovery_code, auth.wrong_passkey, auth.too_many_codes, and the errors of joining by the pending
 * invitation.
 */
export async function completeSignIn(
  services: Services,
  client: Client,
  input: SecondFactor,
): Promise<SignedIn> {
  const sql = systemSql(services.database)
  if ([input.code, input.recovery_code, input.passkey].filter((one) => one !== undefined).length !== 1)
    throw fail('request.invalid', { reason: sentence('auth.one_factor') })
  const tried = await tryChallenge(sql, input.challenge)
  const [user] = await sql<{ id: string; email: string }[]>`
    select id, email from users where id = ${tried?.userId ?? null} and registered_at is not null`
  if (!tried || !user) throw fail('auth.challenge_gone')
  const take = async (tx: SystemStatements) => {
    const expected = { purpose: 'sign_in', userId: user.id, sessionId: null } as const
    if (!(await takeChallenge(tx, input.challenge, expected))) throw fail('auth.challenge_gone')
  }
  let accept: (tx: SystemTransaction) => Promise<void>
  if (input.passkey) {
    await take(sql)
    const use = await checkPasskey(services, tried.webauthnChallenge, input.passkey, user.id)
    accept = use.store
  } else {
    await admitGuess(services, user)
    accept = async (tx) => {
      await take(tx)
      await acceptTyped(services, tx, user, input)
    }
  }
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      await keepPasswordMark(tx, tried)
      await accept(tx)
      await completePending(services, tx, tried, client)
      return signedIn(services, tx, user.id, client, 'second factor')
    }),
  )
}

/**
 * Starts a sign-in with a passkey alone. No further factor is needed: the passkey proves possession, and its device
 * verifies the user.
 */
export async function beginPasskeySignIn({ database, config }: Services) {
  const { token, webauthnChallenge } = await issueChallenge(systemSql(database), {
    purpose: 'passkey_sign_in',
    userId: null,
  })
  return { challenge: token, options: await requestOptions(config, webauthnChallenge, []) }
}

/** Signs in with a passkey. Throws auth.challenge_gone, auth.wrong_passkey. */
export async function signInByPasskey(
  services: Services,
  client: Client,
  { challenge: token, response }: { challenge: string; response: Assertion },
): Promise<SignedIn> {
  const sql = systemSql(services.database)
  const expected = { purpose: 'passkey_sign_in', userId: null, sessionId: null } as const
  const challenge = await takeChallenge(sql, token, expected)
  if (!challenge) throw fail('auth.challenge_gone')
  const use = await checkPasskey(services, challenge.webauthnChallenge, response, null)
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      await use.store(tx)
      return signedIn(services, tx, use.userId, client, 'second factor')
    }),
  )
}

async function acceptTyped(
  services: Services,
  tx: SystemTransaction,
  user: { id: string; email: string },
  { code, recovery_code: recoveryCode }: SecondFactor,
): Promise<void> {
  if (code !== undefined) {
    if (!(await acceptCode(services.secrets, tx, user.id, code))) throw fail('auth.wrong_code')
  } else {
    if (!(await acceptRecoveryCode(tx, user.id, recoveryCode ?? ''))) throw fail('auth.wrong_recovery_code')
    await notifyUser(services, tx, user, 'recovery code used')
  }
  await forgetGuesses(tx, user.id)
}

/**
 * Locks the verified password until the transaction ends, so that a concurrent password reset also ends the new
 * session. Throws auth.challenge_gone if the password has changed.
 */
async function keepPasswordMark(tx: SystemTransaction, { userId, passwordMark }: Challenge): Promise<void> {
  const [user] = await tx<{ hash: string | null }[]>`
    select password_hash as hash from users where id = ${userId} for share`
  const isSame = passwordMark === null || (user?.hash != null && hashToken(user.hash) === passwordMark)
  if (!user || !isSame) throw fail('auth.challenge_gone')
}

async function completePending(
  services: Services,
  tx: SystemTransaction,
  { pending: sealed, tokenHash, userId }: Challenge,
  client: Client,
): Promise<void> {
  if (sealed === null || userId === null) return
  const { token, byMagicLink, passwordHash } = JSON.parse(
    services.secrets.decrypt(sealed, tokenHash),
  ) as PendingInvitation
  const invitation = await redeemToken(tx, token, { byMagicLink })
  if (byMagicLink) await proveAddress(services, tx, client, userId, passwordHash)
  else await endOlderAccess(tx, client, userId, 'address_proven')
  await joinByInvitation(tx, invitation, { userId, client })
}
