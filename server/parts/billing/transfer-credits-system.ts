import type { Database } from '#database/connect.ts'
import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail, sentence } from '#errors'
import { OWNER_ROLE } from '#platform/access/role-rules.ts'
import type { Caller } from '#platform/access/scope.ts'
import { lockBoth, type Movement, moveCredits } from '#platform/ledger/move-credits.ts'
import type { NewTransfer, TransferView } from './schemas.ts'

/**
 * Moves credits between two organizations that the caller owns, in one transaction. Both organizations' audit logs
 * record the transfer. Throws request.invalid, org.not_found, org.owner_needed, billing.transfer_too_large.
 */
export async function transferCredits(
  database: Database,
  caller: Caller,
  { from_org: fromId, to_org: toId, amount }: NewTransfer,
): Promise<TransferView> {
  const movement = { fromId, toId, amount }
  const entries = await systemSql(database).begin(async (tx) => {
    await lockBoth(tx, movement)
    await checkOwner(tx, caller, movement)
    if (fromId === toId) throw fail('request.invalid', { reason: sentence('billing.same_organization') })
    return moveCredits(tx, caller, movement)
  })
  return {
    from_org: fromId,
    to_org: toId,
    amount,
    from_entry_id: entries.fromEntryId,
    to_entry_id: entries.toEntryId,
  }
}

/**
 * Checks that the caller is an active owner of both organizations, and locks the two memberships until the
 * transaction ends. Throws org.not_found, org.owner_needed.
 */
async function checkOwner(
  tx: SystemTransaction,
  { userId }: Caller,
  { fromId, toId }: Movement,
): Promise<void> {
  const roles = await tx<{ id: string; role: string }[]>`
    select o.id, r.name as role from memberships m
    join organizations o on o.id = m.organization_id and o.closed_at is null
    join roles r on r.id = m.role_id
    where m.organization_id in (${fromId}, ${toId}) and m.user_id = ${userId} and m.status = 'active'
    for share of m`
  const missing = [fromId, toId].find((id) => !roles.some((owned) => owned.id === id))
  if (missing !== undefined) throw fail('org.not_found', { value: missing })
  if (roles.some(({ role }) => role !== OWNER_ROLE)) throw fail('org.owner_needed')
}
