import type { TransactionSql } from 'postgres'
import { isUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import type { Client } from '#platform/access/scope.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Rooms } from '#platform/rooms.ts'
import { hashPassword, verifyPassword } from '#platform/secrets/passwords.ts'
import { createUser, readUser } from '../users/index.ts'
import { mailVerification } from './mailed-links.ts'
import type { Credentials, NewUser, SignedIn } from './schemas.ts'
import { startSession } from './sessions.ts'

/** Makes a user with a personal organization, and signs in. Throws auth.signup_closed, auth.email_taken. */
export async function signUp(rooms: Rooms, client: Client, input: NewUser): Promise<SignedIn> {
  const { config, database, tokens } = rooms
  if (config.signup !== 'open') throw fail('auth.signup_closed')
  const passwordHash = await hashPassword(input.password)
  try {
    return await database.sql.begin(async (tx) => {
      const user = await createUser(tx, { ...input, passwordHash, startingCredits: config.startingCredits })
      await mailVerification(rooms, tx, user)
      return { user: await readUser(tx, user.id), ...(await startSession({ sql: tx, tokens }, user, client)) }
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('auth.email_taken', {}, { cause: error })
    throw error
  }
}

/** Signs in with email and password. Throws auth.invalid_credentials, and takes the same time whichever is wrong. */
export async function logIn(
  { database: { sql }, tokens }: Rooms,
  client: Client,
  input: Credentials,
): Promise<SignedIn> {
  const attempt = { email: normalizeEmail(input.email), address: client.address }
  await slowDownAttempt(sql, attempt)
  const [user] = await sql<{ id: string; email: string; password_hash: string | null }[]>`
    select id, email, password_hash from users where email = ${attempt.email}`
  const right = await verifyPassword(input.password, user?.password_hash)
  if (!user || !right) throw fail('auth.invalid_credentials')
  await forgetAttempts(sql, attempt)
  return sql.begin(async (tx) => {
    await keepPassword(tx, user)
    return { user: await readUser(tx, user.id), ...(await startSession({ sql: tx, tokens }, user, client)) }
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
