import { randomBytes } from 'node:crypto'
import type { Sql } from 'postgres'
import { isUniqueViolation } from '#database/sql-state.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Rooms } from '#platform/rooms.ts'
import { hashPassword } from '#platform/secrets/passwords.ts'
import { createUser } from '../users/index.ts'

/**
 * Makes the system administrator at the first start. Answers the sign-in, with the password where it was made here;
 * nobody sees that one again. Null where there is an administrator already.
 */
export async function ensureAdministrator({
  config,
  database: { sql },
}: Pick<Rooms, 'config' | 'database'>): Promise<{ email: string; password: string | null } | null> {
  const [known] = await sql`select from users where is_system_admin limit 1`
  if (known) return null
  const password = config.adminPassword ?? randomBytes(12).toString('base64url')
  try {
    await setAdministrator(sql, config.adminEmail, password, config.startingCredits)
  } catch (error) {
    // Another process that starts at the same time was first.
    if (isUniqueViolation(error)) return null
    throw error
  }
  return { email: config.adminEmail, password: config.adminPassword === null ? password : null }
}

/** Makes a user the system administrator with this password, and the user where there is none: for the CLI. */
export async function setAdministrator(
  sql: Sql,
  email: string,
  password: string,
  startingCredits: number,
): Promise<'created' | 'changed'> {
  const passwordHash = await hashPassword(password)
  return sql.begin(async (tx) => {
    const [user] = await tx<{ id: string }[]>`
      update users set is_system_admin = true, password_hash = ${passwordHash}, updated_at = now()
      where email = ${normalizeEmail(email)} and registered_at is not null returning id`
    if (user) {
      await tx`update sessions set revoked_at = now() where user_id = ${user.id} and revoked_at is null`
      return 'changed'
    }
    const name = { first_name: 'System', last_name: 'Administrator' }
    await createUser(tx, {
      email,
      ...name,
      passwordHash,
      startingCredits,
      isSystemAdmin: true,
      emailVerified: true,
    })
    return 'created'
  })
}
