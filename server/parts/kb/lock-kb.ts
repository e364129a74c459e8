import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * Locks a knowledge base until the transaction ends. Changes to documents or chunks, and the start and end of a
 * reading, take this lock first, then sources, then documents; this order prevents deadlocks. Returns undefined
 * if the knowledge base was deleted.
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
