import type { Sql } from 'postgres'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { sharesOrganization } from '#platform/access/visible-members.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import { fullName } from './read-users.ts'
import type { FoundUser } from './schemas.ts'

/** Returns the person with an address who shares an organization with the caller. Throws user.not_found. */
export async function findUser(sql: Sql, scope: Scope<'users:write'>, email: string): Promise<FoundUser> {
  const [user] = await sql<Omit<FoundUser, 'full_name'>[]>`
    select u.id, u.email, u.first_name, u.last_name from users u
    where u.email = ${normalizeEmail(email)} and u.registered_at is not null
      and ${sharesOrganization(sql, scope.userId, sql`u.id`)}`
  if (!user) throw fail('user.not_found')
  return { ...user, full_name: fullName(user) }
}
