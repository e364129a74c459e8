import type { TransactionSql } from 'postgres'
import { fail } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import type { Client } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'
import { createUser, type NewAccount, readUser } from '../users/index.ts'
import { demandFactor } from './demand-factor.ts'
import { mailVerification } from './mailed-links.ts'
import type { Credentials, NewUser, SignedIn } from './schemas.ts'
import { type Assurance, startSession } from './sessions.ts'

/** Makes a user with a personal organization, and signs in. Throws auth.signup_closed, auth.email_taken. */
export async function signUp(services: Services, client: Client, input: NewUser): Promise<SignedIn> {
  if (services.config.signup !== 'open') throw fail('auth.signup_closed')
  const passwordHash = await services.passwords.hash(input.password)
  return commitWithAnswer(() =>
    services.database.sql.begin(async (tx) => {
      const user = await register(services, tx, { ...input, passwordHash })
      return signedIn(services, tx, user.id, client, 'one factor')
    }),
  )
}

/** Makes a user whose address nobody has proved yet, and asks its owner. Throws auth.email_taken. */
export async function register(
  services: Services,
  tx: TransactionSql,
  input: Pick<NewAccount, 'email' | 'first_name' | 'last_name' | 'passwordHash'>,
): Promise<{ id: string; email: string }> {
  const user = await createUser(tx, services, input)
  await mailVerification(services, tx, user)
  return user
}

/** Begins a session: what every way to sign in answers. */
export async function signedIn(
  { tokens }: Pick<Services, 'tokens'>,
  tx: TransactionSql,
  userId: string,
  client: Client,
  assurance: Assurance,
): Promise<SignedIn> {
  const user = await readUser(tx, userId)
  return { user, ...(await startSession({ sql: tx, tokens }, user, client, assurance)) }
}

/**
 * Signs in with email and password. Throws auth.invalid_credentials, and takes the same time whichever is wrong;
 * auth.second_factor_needed for an account with factors.
 */
export async function logIn(services: Services, client: Client, input: Credentials): Promise<SignedIn> {
  const { sql } = services.database
  const attempt = { email: normalizeEmail(input.email), address: client.address }
  await slowDownAttempt(sql, attempt)
  const [user] = await sql<{ id: string; email: string; password_hash: string | null }[]>`
    select id, email, password_hash from users where email = ${attempt.email}`
  const right = await services.passwords.verify(input.password, user?.password_hash)
  if (!user || !right) throw fail('auth.invalid_credentials')
  await forgetAttempts(sql, attempt)
  const demand = await demandFactor(services, { id: user.id, checkedHash: user.password_hash })
  if (demand) throw demand
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      await keepPassword(tx, user)
      return signedIn(services, tx, user.id, client, 'one factor')
    }),
  )
}

/**
 * Sees to it that the password that was checked is still the password when the transaction ends: one that is reset
 * meanwhile must not leave a session behind. Throws auth.invalid_credentials.
 */
export async function keepPassword(
  tx: TransactionSql,
  user: { id: string; password_hash: string | null },
): Promise<void> {
  const [same] = await tx`
    select from users where id = ${user.id} and password_hash = ${user.password_hash} for share`
  if (!same) throw fail('auth.invalid_credentials')
}
