import { isUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Client } from '#platform/access/scope.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Rooms } from '#platform/rooms.ts'
import { hashPassword, verifyPassword } from '#platform/secrets/passwords.ts'
import { createUser, readUser } from '../users/index.ts'
import { forgetAttempts, slowDownAttempt } from './login-attempts.ts'
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
  return { user: await readUser(sql, user.id), ...(await startSession({ sql, tokens }, user, client)) }
}
