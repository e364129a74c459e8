import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * Locks a knowledge base until the transaction ends. Returns undefined if the knowledge base was deleted.
 *
 * Transactions that change documents or chunks, or that start or end a reading, lock the knowledge base, then
 * sources, then documents. This order prevents deadlocks.
 */
export async function lockKb(
  tx: TenantTransaction,
  { organizationId, kbId }: KbRef,
): Promise<{ chunkCount: number; deadCount: number } | undefined> {
  const [kb] = await tx<{ chunkCount: number; deadCount: number }[]>`
    select chunk_count as "chunkCount", dead_count as "deadCount" from knowledge_bases
    where id = ${kbId} and organization_id = ${organizationId} for no key update`
  return kb
}
