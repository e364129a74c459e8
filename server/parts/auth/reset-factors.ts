import type { Config } from '#config'
import type { OpenDatabase } from '#database/connect.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { notifyUser } from './check-factor.ts'
import { endAllSessions } from './sessions.ts'

/**
 * Removes every factor and recovery code of a user who has lost them, ends their sessions, and mails them: for the CLI.
 * The password stays. False: there is no such user.
 */
export async function resetFactors(
  { database: { sql }, mail, config }: { database: OpenDatabase; mail: Mail; config: Config },
  email: string,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [user] = await tx<{ id: string; email: string }[]>`
      select id, email from users
      where email = ${normalizeEmail(email)} and registered_at is not null for no key update`
    if (!user) return false
    for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'auth_challenges'])
      await tx`delete from ${tx(table)} where user_id = ${user.id}`
    await endAllSessions(tx, user.id)
    await notifyUser({ mail, config }, tx, user, 'reset by administrator')
    return true
  })
}
