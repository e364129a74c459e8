import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * Locks a knowledge base until the transaction ends. Whoever changes documents or chunks, or begins or ends to read a
 * source, takes this lock first, then sources, then documents: so nobody waits for somebody who waits for him.
 * Undefined: it is gone.
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
