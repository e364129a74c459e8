import { createHash } from 'node:crypto'
import type { Sql } from 'postgres'
import { newId } from '#database/new-id.ts'

const DOCUMENTS_AT_ONCE = 500
const POLL_MS = 50

export interface Shelved {
  name: string
  text: string
}

/**
 * Writes many documents directly into a knowledge base, as a reading of a source does, and waits until all are
 * indexed. Uploading thousands of files would take longer than the measurement. Throws if indexing takes longer than
 * `timeoutMs` milliseconds.
 */
export async function shelve(
  sql: Sql,
  { organizationId, userId }: { organizationId: string; userId: string },
  kbId: string,
  documents: Shelved[],
  waitMs = 20_000,
): Promise<void> {
  const sourceId = newId()
  await sql`
    insert into kb_sources (id, organization_id, kb_id, created_by, type, config, status, reading)
    values (${sourceId}, ${organizationId}, ${kbId}, ${userId}, 'text', '{}', 'read', 1)`
  for (let at = 0; at < documents.length; at += DOCUMENTS_AT_ONCE) {
    const rows = documents.slice(at, at + DOCUMENTS_AT_ONCE).map(({ name, text }) => ({
      id: newId(),
      name,
      text,
      hash: createHash('sha256').update(text).digest('hex'),
      bytes: Buffer.byteLength(text),
    }))
    await sql`
      with given as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json)
          as d (id uuid, name text, text text, hash text, bytes int)),
      made as (
        insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
          content_hash, text_kind, text_bytes, found_by)
        select id, ${organizationId}, ${kbId}, ${sourceId}, name, name, 'text/markdown', bytes, '{}', 'pending', hash,
          'markdown', bytes, 1 from given)
      insert into kb_texts (document_id, organization_id, kb_id, text)
      select id, ${organizationId}, ${kbId}, text from given`
  }
  const end = performance.now() + waitMs
  for (;;) {
    const [left] = await sql<{ pending: number }[]>`
      select documents_pending as pending from kb_sources where id = ${sourceId}`
    if (left?.pending === 0) return
    if (performance.now() > end) throw new Error('the documents were not indexed in time')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
