import { HIGHEST_ID } from '#database/new-id.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { TextKind } from '#platform/documents/split-text.ts'
import { hasSource } from './claimable.ts'

/** A document whose text is stored. */
export interface DocumentWithText {
  id: string
  kbId: string
  kbName: string
  name: string
  textKind: TextKind
  /** Size of the text in UTF-8. */
  textBytes: number
  updatedAt: string
}

/** Maximum size of a text that `readDocumentText` returns, in bytes of UTF-8. @limit returned text of a document */
const READ_BYTES_MAX = 2 * 1024 * 1024

/**
 * Returns documents of all knowledge bases of the organization that follow `after`: newest knowledge base first, then
 * newest document first. This is the order of an index, so a page costs as much as its documents.
 */
export const listDocumentsWithText = (
  { sql, organizationId }: Scope<'kb:read'>,
  after: Pick<DocumentWithText, 'kbId' | 'id'> | undefined,
  count: number,
): Promise<DocumentWithText[]> => sql<DocumentWithText[]>`
  select d.id, d.kb_id as "kbId", k.name as "kbName", d.name, d.text_kind as "textKind", d.text_bytes as "textBytes",
    d.updated_at as "updatedAt"
  from kb_documents d join knowledge_bases k on k.id = d.kb_id and k.organization_id = d.organization_id
  where d.organization_id = ${organizationId} and d.text_kind is not null and ${hasSource(sql)}
    and (d.kb_id, d.id) < (${after?.kbId ?? HIGHEST_ID}::uuid, ${after?.id ?? HIGHEST_ID}::uuid)
  order by d.kb_id desc, d.id desc limit ${count}`

/**
 * Returns the text of a document as it was extracted, without later edits of its chunks. Throws
 * kb.document_not_found, kb.document_without_text, kb.document_too_long.
 */
export async function readDocumentText(
  { sql, organizationId }: Scope<'kb:read'>,
  id: string,
): Promise<{ text: string; textKind: TextKind }> {
  const [found] = await sql<{ textKind: TextKind | null; textBytes: number; text: string | null }[]>`
    select d.text_kind as "textKind", d.text_bytes as "textBytes",
      case when d.text_bytes <= ${READ_BYTES_MAX} then t.text end as text
    from kb_documents d join knowledge_bases k on k.id = d.kb_id and k.organization_id = d.organization_id
    left join kb_texts t on t.document_id = d.id and t.organization_id = d.organization_id
    where d.id = ${id} and d.organization_id = ${organizationId} and ${hasSource(sql)}`
  if (!found) throw fail('kb.document_not_found', { value: id })
  const { textKind, textBytes, text } = found
  if (textBytes > READ_BYTES_MAX)
    throw fail('kb.document_too_long', { bytes: textBytes, limit: READ_BYTES_MAX })
  if (textKind === null || text === null) throw fail('kb.document_without_text')
  return { text, textKind }
}
