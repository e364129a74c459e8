import type { Database } from '#database/connect.ts'
import { type Column, insertRows } from '#database/insert-rows.ts'
import { type SystemTransaction, systemStatements } from '#database/system-sql.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * Inserts rows into a knowledge base that the transaction has locked. COPY bypasses the tenant statements, so this
 * function adds the owner columns.
 */
export function copyRows<Row>(
  { embedded }: Pick<Database, 'embedded'>,
  tx: TenantTransaction,
  { organizationId, kbId }: KbRef,
  table: 'kb_chunks' | 'kb_vectors' | 'kb_postings',
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const owner: Column<Row>[] = [{ name: 'kb_id', type: 'uuid', of: () => kbId }]
  if (table === 'kb_chunks') owner.push({ name: 'organization_id', type: 'uuid', of: () => organizationId })
  return insertRows(
    systemStatements(tx) as SystemTransaction,
    { embedded },
    table,
    [...owner, ...columns],
    rows,
  )
}
