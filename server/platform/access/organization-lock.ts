import type { ISql } from 'postgres'
import { fail } from '#errors'

/**
 * Locks an organization. Must be the first statement of any change to an organization, so that all transactions lock in
 * the same order and cannot deadlock. Throws org.not_found.
 *
 * - `records`: the organization cannot be deleted before the transaction ends.
 * - `members`: members and owners are changed by one transaction at a time. If two owners leave concurrently, the
 *   second sees that the first has left.
 * - `deletion`: no other transaction can change anything.
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
