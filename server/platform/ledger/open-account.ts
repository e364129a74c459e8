import type { TransactionSql } from 'postgres'

/** Opens an organization's account without credits, in the caller's transaction. */
export async function openAccount(tx: TransactionSql, organizationId: string): Promise<void> {
  await tx`insert into credit_accounts (organization_id) values (${organizationId})`
}
