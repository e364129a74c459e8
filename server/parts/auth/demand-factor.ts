import { type AppError, fail } from '#errors'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { issueChallenge } from './challenges.ts'
import { selectPasskeys } from './check-factor.ts'
import { type Passkey, requestOptions } from './passkeys.ts'

/** What a sign-in does once the factor is accepted: joins by an invitation, and a magic link may set a password. */
export interface PendingInvitation {
  token: string
  byMagicLink: boolean
  passwordHash: string | null
}

interface Account {
  id: string
  /** The hash of the password that was checked; null where a mailed link was the proof. */
  checkedHash: string | null
}

/**
 * The refusal that asks for a second factor, with a challenge to answer it; null for an account without factors. The
 * caller throws it before anything is done: what was asked for waits in the challenge.
 */
export async function demandFactor(
  services: Services,
  { id: userId, checkedHash }: Account,
  pending?: PendingInvitation,
): Promise<AppError | null> {
  const { database, config, secrets } = services
  const { sql } = database
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
