import type { TransactionSql } from 'postgres'
import { newId } from '#database/new-id.ts'

/** Opens an organization's account, with its starting credits, inside the caller's transaction. */
export async function openAccount(
  tx: TransactionSql,
  organizationId: string,
  startingCredits: number,
): Promise<void> {
  await tx`insert into credit_accounts (organization_id, balance) values (${organizationId}, ${startingCredits})`
  if (startingCredits === 0) return
  await tx`
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, reason)
    values (${newId()}, ${organizationId}, 'CREDIT', ${startingCredits}, ${startingCredits}, ${startingCredits},
      'starting credits')`
}
