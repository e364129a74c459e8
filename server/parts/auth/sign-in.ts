import type { TransactionSql } from 'postgres'
import { fail } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import type { Client } from '#platform/access/scope.ts'
import { joinAnswer } from '#platform/idempotency/answer-under-way.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Rooms } from '#platform/rooms.ts'
import { createUser, type NewAccount, readUser } from '../users/index.ts'
import { demandFactor } from './demand-factor.ts'
import { mailVerification } from './mailed-links.ts'
import type { Credentials, NewUser, SignedIn } from './schemas.ts'
import { type Assurance, startSession } from './sessions.ts'

/** Makes a user with a personal organization, and signs in. Throws auth.signup_closed, auth.email_taken. */
export async function signUp(rooms: Rooms, client: Client, input: NewUser): Promise<SignedIn> {
  if (rooms.config.signup !== 'open') throw fail('auth.signup_closed')
  const passwordHash = await rooms.passwords.hash(input.password)
  await joinAnswer()
  return rooms.database.sql.begin(async (tx) => {
    const user = await register(rooms, tx, { ...input, passwordHash })
    return signedIn(rooms, tx, user.id, client, 'one factor')
  })
}

/** Makes a user whose address nobody has proved yet, and asks its owner. Throws auth.email_taken. */
export async function register(
  rooms: Rooms,
  tx: TransactionSql,
  input: Pick<NewAccount, 'email' | 'first_name' | 'last_name' | 'passwordHash'>,
): Promise<{ id: string; email: string }> {
  const user = await createUser(tx, rooms, input)
  await mailVerification(rooms, tx, user)
  return user
}

/** Begins a session: what every way to sign in answers. */
export async function signedIn(
  { tokens }: Pick<Rooms, 'tokens'>,
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
export async function logIn(rooms: Rooms, client: Client, input: Credentials): Promise<SignedIn> {
  const { sql } = rooms.database
  const attempt = { email: normalizeEmail(input.email), address: client.address }
  await slowDownAttempt(sql, attempt)
  const [user] = await sql<{ id: string; email: string; password_hash: string | null }[]>`
    select id, email, password_hash from users where email = ${attempt.email}`
  const right = await rooms.passwords.verify(input.password, user?.password_hash)
  if (!user || !right) throw fail('auth.invalid_credentials')
  await forgetAttempts(sql, attempt)
  const demand = await demandFactor(rooms, { id: user.id, checkedHash: user.password_hash })
  if (demand) throw demand
  await joinAnswer()
  return sql.begin(async (tx) => {
    await keepPassword(tx, user)
    return signedIn(rooms, tx, user.id, client, 'one factor')
  })
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
