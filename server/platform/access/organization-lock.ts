import type { ISql } from 'postgres'
import { fail } from '#errors'

/**
 * Locks an organization until the transaction ends. Every change to an organization calls this function first. All
 * transactions therefore take locks in the same order and cannot deadlock. Throws org.not_found.
 *
 * - `records`: prevents the deletion of the organization.
 * - `members`: also blocks other changes of members and owners. If two owners leave concurrently, the second
 * transaction sees that the first owner has left.
 * - `deletion`: blocks all other changes.
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
  if (!row) throw fail('org.not_found', { value: organizationId })
  return row
}
