import { systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import type { Caller } from '#platform/access/scope.ts'
import type { Services } from '#platform/services.ts'
import { readUser } from './read-users-system.ts'
import type { ProfileChange, UserView } from './schemas.ts'

/**
 * Changes the caller's own names, language and password. A new password revokes all other sessions. Throws
 * user.wrong_password.
 */
export async function changeProfile(
  services: Pick<Services, 'database' | 'passwords'>,
  caller: Caller,
  change: ProfileChange,
): Promise<UserView> {
  const sql = systemSql(services.database)
  const password = await preparePassword(services, caller, change)
  await sql.begin(async (tx) => {
    await tx`
      update users set updated_at = now(),
        first_name = coalesce(${change.first_name?.trim() ?? null}, first_name),
        last_name = coalesce(${change.last_name?.trim() ?? null}, last_name),
        language = case when ${change.language !== undefined} then ${change.language ?? null} else language end
      where id = ${caller.userId}`
    if (password === null) return
    // If the password was reset after the verification, the condition on the old hash keeps the reset password.
    const set = await tx`
      update users set password_hash = ${password.newHash}
      where id = ${caller.userId} and password_hash = ${password.oldHash}`
    if (set.count === 0) throw fail('user.wrong_password')
    await tx`
      update sessions set revoked_at = now(), end_reason = 'password_changed'
      where user_id = ${caller.userId} and id <> ${caller.sessionId} and revoked_at is null`
  })
  return readUser(sql, caller.userId)
}

/**
 * Verifies the current password and hashes the new one. Returns null if the change has no password. Users without a
 * password must set one through /api/auth/forgot_password. Throws user.wrong_password.
 */
async function preparePassword(
  { database, passwords }: Pick<Services, 'database' | 'passwords'>,
  { userId, client }: Caller,
  change: ProfileChange,
): Promise<{ oldHash: string; newHash: string } | null> {
  if (change.password === undefined) return null
  const sql = systemSql(database)
  const [user] = await sql<{ email: string; password_hash: string | null }[]>`
    select email, password_hash from users where id = ${userId}`
  const attempt = { email: user?.email ?? '', address: client.address }
  await slowDownAttempt(sql, attempt)
  const right = await passwords.verify(change.current_password ?? '', user?.password_hash)
  if (!right || !user?.password_hash) throw fail('user.wrong_password')
  await forgetAttempts(sql, attempt)
  return { oldHash: user.password_hash, newHash: await passwords.hash(change.password) }
}
