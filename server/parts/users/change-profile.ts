import type { Sql } from 'postgres'
import { fail } from '#errors'
import type { Caller } from '#platform/access/scope.ts'
import { hashPassword, verifyPassword } from '#platform/secrets/passwords.ts'
import { readUser } from './read-users.ts'
import type { ProfileChange, UserView } from './schemas.ts'

/** Changes the caller's own names and password. A new password ends every other session. Throws user.wrong_password. */
export async function changeProfile(sql: Sql, caller: Caller, change: ProfileChange): Promise<UserView> {
  const passwordHash = await newPasswordHash(sql, caller.userId, change)
  await sql.begin(async (tx) => {
    await tx`
      update users set updated_at = now(),
        first_name = coalesce(${change.first_name?.trim() ?? null}, first_name),
        last_name = coalesce(${change.last_name?.trim() ?? null}, last_name),
        password_hash = coalesce(${passwordHash}, password_hash)
      where id = ${caller.userId}`
    if (passwordHash !== null)
      await tx`
        update sessions set revoked_at = now()
        where user_id = ${caller.userId} and id <> ${caller.sessionId} and revoked_at is null`
  })
  return readUser(sql, caller.userId)
}

/** Null: it stays. Who has none gets one by mail (/api/auth/forgot_password). */
async function newPasswordHash(sql: Sql, userId: string, change: ProfileChange): Promise<string | null> {
  if (change.password === undefined) return null
  const [user] = await sql<
    { password_hash: string | null }[]
  >`select password_hash from users where id = ${userId}`
  const right = await verifyPassword(change.current_password ?? '', user?.password_hash)
  if (!right) throw fail('user.wrong_password')
  return hashPassword(change.password)
}
