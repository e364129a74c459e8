import type { TenantSql } from '#database/tenant-sql.ts'
import type { Language } from '#platform/retrieval/languages.ts'
import { hasSource } from './claimable.ts'
import type { Candidate } from './searched-kbs.ts'

/** Content of a chunk, and its position in the document. */
export interface PassageContent {
  kbId: string
  documentId: string
  documentName: string
  chunkId: string
  content: string
  headings: string[]
  page: number | null
  position: number
  metadata: Record<string, unknown>
  language: Language
}

export type ReadPassage = PassageContent & Candidate & { reranked: null }

interface PassageRow extends PassageContent {
  number: number
}

/** Returns the candidates with their content, in the same order. Omits chunks that are deleted or disabled. */
export async function readPassages<Found extends Candidate>(
  { sql, organizationId }: { sql: TenantSql; organizationId: string },
  pool: Found[],
): Promise<(PassageContent & Found & { reranked: null })[]> {
  if (pool.length === 0) return []
  const keys = pool.map(({ kb, number }) => ({ kb: kb.id, number }))
  const rows = await sql<PassageRow[]>`
    select c.number, c.kb_id as "kbId", c.document_id as "documentId", d.name as "documentName", c.id as "chunkId",
      c.content, c.headings, c.page, c.position, c.language,
      d.metadata || jsonb_build_object('name', d.name, 'mime_type', d.mime_type, 'source_id', d.source_id) as metadata
    from json_to_recordset(${JSON.stringify(keys)}::text::json) as w (kb uuid, number int)
    join kb_chunks c on c.kb_id = w.kb and c.number = w.number and c.organization_id = ${organizationId} and c.is_enabled
    join kb_documents d on d.id = c.document_id and d.organization_id = c.organization_id and ${hasSource(sql)}`
  const read = new Map(rows.map(({ number, ...row }) => [`${row.kbId} ${number}`, row]))
  return pool.flatMap((found) => {
    const row = read.get(`${found.kb.id} ${found.number}`)
    return row ? [{ ...row, ...found, reranked: null }] : []
  })
}
