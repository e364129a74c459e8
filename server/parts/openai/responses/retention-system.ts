import type { RetentionRule } from '#platform/sweeps/retention.ts'

/**
 * Deletes rows whose retention has ended. Locks their organizations first, because a transaction that removes a member
 * locks the organization before the responses of the member's keys (docs/lock-order.md).
 */
const deleteExpired = (table: 'responses' | 'response_conversations'): RetentionRule => ({
  rows: table,
  async deleteSome(tx, limit) {
    const expired = await tx<{ id: string; organizationId: string }[]>`
      select id, organization_id as "organizationId" from ${tx(table)}
      where expires_at < now() order by expires_at limit ${limit}`
    const organizationIds = [...new Set(expired.map(({ organizationId }) => organizationId))]
    await tx`
      select from organizations where id = any(${organizationIds}::uuid[]) order by id for no key update`
    const { count } = await tx`
      delete from ${tx(table)} where id = any(${expired.map(({ id }) => id)}::uuid[]) and expires_at < now()`
    return count
  },
})

/** Deletes responses and conversations whose retention has ended, with their items. */
export const responseRetention = [deleteExpired('responses'), deleteExpired('response_conversations')]
