import type { ISql } from 'postgres'
import { fail } from '#errors'

/**
 * The first statement of whatever changes an organization, so that all lock in one order and none waits for another
 * that waits for it. `records`: the organization can't be deleted meanwhile. `members`: who is a member and who owns it
 * is changed by one at a time, so that of two owners who go at the same moment the second sees the first one gone.
 * `deletion`: nobody else changes anything. Throws org.not_found.
 */
export async function lockOrganization(
  tx: ISql,
  organizationId: string,
  kind: 'records' | 'members' | 'deletion',
): Promise<{ isPersonal: boolean; personalUserId: string | null }> {
  const strength = { records: tx`for key share`, members: tx`for no key update`, deletion: tx`for update` }
  const [row] = await tx<{ isPersonal: boolean; personalUserId: string | null }[]>`
    select personal_user_id is not null as "isPersonal", personal_user_id as "personalUserId" from organizations
    where id = ${organizationId} and closed_at is null ${strength[kind]}`
  if (!row) throw fail('org.not_found')
  return row
}
