import { deleteOlderThan, type RetentionRule } from '#platform/sweeps/retention.ts'

const DAY_SECONDS = 86_400

/**
 * Counters of past days, and invitations that were revoked or that expired `days` ago; 0 keeps them. Accepted ones
 * stay, because they tell when a member was invited. So do those of accounts that an invitation created, until they
 * are accepted or revoked.
 */
export const invitationRetention = (days: number): RetentionRule[] => [
  deleteOlderThan({ table: 'invitation_days', column: 'day' }, 2 * DAY_SECONDS),
  ...(days === 0 ? [] : [closedInvitations(days)]),
]

const closedInvitations = (days: number): RetentionRule => ({
  rows: 'invitations',
  async deleteSome(tx, limit) {
    const { count } = await tx`
      delete from invitations where id in (
        select id from invitations
        where expires_at < now() - ${days} * interval '1 day' and status <> 'accepted'
          and (status = 'revoked' or not by_magic_link)
        order by expires_at limit ${limit} for update skip locked)`
    return count
  },
})
