import type { TransactionSql } from 'postgres'
import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import type { Actor } from '#platform/access/scope.ts'
import { refuseSuspended, type Suspendable } from '#platform/access/suspension.ts'
import { recordEvents } from '#platform/audit/audit.ts'

/** A transfer of credits between the accounts of two organizations. */
export interface Movement {
  fromId: string
  toId: string
  /** Minimum: one millionth of a credit, the resolution of the ledger. */
  amount: number
}

/**
 * Locks both accounts in the order of their ids, like every statement that locks several accounts. A transaction that
 * also locks organizations or users must do so afterwards (data-rights/close-organization-system.ts).
 */
export const lockBoth = (tx: TransactionSql, { fromId, toId }: Omit<Movement, 'amount'>) =>
  tx`
    select from credit_accounts where organization_id in (${fromId}, ${toId}) order by organization_id for update`

/**
 * Moves credits in the caller's transaction, which must have locked both accounts. Writes a CREDIT entry for each
 * organization, with the other organization in `counterparty_id`. Records the transfer in both audit logs. Returns
 * the ids of the entries. Throws billing.transfer_too_large, and access.organization_suspended if one is suspended.
 */
export async function moveCredits(
  tx: TransactionSql,
  actor: Actor,
  { fromId, toId, amount }: Movement,
): Promise<{ fromEntryId: string; toEntryId: string }> {
  const [account] = await tx<({ available: number; covers: boolean } & Suspendable)[]>`
    select (balance - held)::float8 as available, balance - held >= round(${amount}::numeric, 6) as covers,
      (select max(o.suspension_reason) from organizations o where o.id in (${fromId}, ${toId})) as suspension_reason
    from credit_accounts where organization_id = ${fromId}`
  if (!account) throw fail('org.not_found', { value: fromId })
  refuseSuspended(account)
  const available = Math.max(account.available, 0)
  if (!account.covers) throw fail('billing.transfer_too_large', { available })
  const [fromEntryId, toEntryId] = [newId(), newId()]
  const moved = await tx`
    with side (organization_id, entry_id, counterparty_id, amount) as (
      values (${fromId}::uuid, ${fromEntryId}::uuid, ${toId}::uuid, -round(${amount}::numeric, 6)),
        (${toId}::uuid, ${toEntryId}::uuid, ${fromId}::uuid, round(${amount}::numeric, 6))),
    changed as (
      update credit_accounts as a set balance = a.balance + side.amount
      from side where a.organization_id = side.organization_id
      returning a.organization_id, a.balance)
    insert into ledger_entries
      (id, organization_id, kind, quantity, amount, balance_after, counterparty_id, reason)
    select entry_id, organization_id, 'CREDIT', abs(amount), amount, balance, counterparty_id, 'transfer'
    from side join changed using (organization_id)`
  if (moved.count !== 2) throw fail('org.not_found', { value: toId })
  const after = { from_org: fromId, to_org: toId, amount }
  const action = 'organization.credits_transferred'
  await recordEvents(
    tx,
    actor,
    [fromId, toId].map((organizationId) => ({
      organizationId,
      event: { action, recordId: organizationId, after },
    })),
  )
  return { fromEntryId, toEntryId }
}
