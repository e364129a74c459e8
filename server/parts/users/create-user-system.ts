import type { Language } from '@parley/messages/languages'
import { newId } from '#database/new-id.ts'
import type { SystemTransaction } from '#database/system-sql.ts'
import { fail } from '#errors'
import { grantStartingCredits } from '#platform/ledger/starting-credits.ts'
import { normalizeEmail, refuseReserved } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'
import { createOrganization } from '../org/index.ts'

export interface NewAccount {
  email: string
  first_name: string
  last_name: string
  /** The hash of the password. Null if the user signs in only by emailed link or an OpenID provider. */
  passwordHash: string | null
  /** The browser's language. Null if it is unknown. The user may choose another language later. */
  language: Language | null
  emailVerified?: boolean
  isSystemAdmin?: boolean
}

/**
 * Creates a user with a personal organization and the starting credits, in the caller's transaction. If an invitation
 * has created an unregistered account for the address, registers that account. Throws auth.email_taken,
 * auth.email_reserved.
 */
export async function createUser(
  tx: SystemTransaction,
  services: Pick<Services, 'config' | 'secrets'>,
  input: NewAccount,
): Promise<{ id: string; email: string }> {
  refuseReserved(input.email)
  const [first, last] = [input.first_name.trim(), input.last_name.trim()]
  const [user] = await tx<{ id: string; email: string }[]>`
    insert into users as u (id, email, password_hash, first_name, last_name, language, is_system_admin,
      registered_at, email_verified_at)
    values (${newId()}, ${normalizeEmail(input.email)}, ${input.passwordHash}, ${first}, ${last}, ${input.language},
      ${input.isSystemAdmin ?? false}, now(), case when ${input.emailVerified ?? false} then now() end)
    on conflict (email) do update set password_hash = excluded.password_hash, first_name = excluded.first_name,
      last_name = excluded.last_name, language = excluded.language, registered_at = now(), email_verified_at = excluded.email_verified_at,
      is_system_admin = excluded.is_system_admin, updated_at = now()
      where u.registered_at is null
    returning id, email`
  if (!user) throw fail('auth.email_taken')
  await createOrganization(tx, {
    name: `${first} ${last}`.trim(),
    ownerId: user.id,
    personal: true,
  })
  await grantStartingCredits(tx, services, user.id)
  return user
}
