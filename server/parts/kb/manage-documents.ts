import { and, desc, eq, inArray, type SQL, sql } from '#database/drizzle.ts'
import { patternHolding } from '#database/like.ts'
import { kbDocuments, kbSources, knowledgeBases } from '#database/schema/kb.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import { storeUpload } from '#platform/storage/store-upload.ts'
import type { UploadView } from '#platform/storage/view-upload.ts'
import { hasSource } from './claimable.ts'
import type { KbDependencies } from './dependencies.ts'
import {
  type ChunkRow,
  type DocumentList,
  type DocumentWithChunks,
  viewChunk,
  viewDocument,
} from './schemas.ts'

const LIMIT_DEFAULT = 10

interface NumberedPage {
  page?: number
  limit?: number
}

/** Returns one page of the documents whose names contain `search`, newest first. */
export async function listDocuments(
  scope: Scope<'kb:read'>,
  { kb_id: kbId, page = 1, limit = LIMIT_DEFAULT, search }: NumberedPage & { kb_id: string; search?: string },
): Promise<DocumentList> {
  const { sql } = scope
  const pattern = patternHolding(search)
  const ids = await sql<{ id: string }[]>`
    select id from kb_documents d
    where kb_id = ${kbId} and organization_id = ${scope.organizationId} and ${hasSource(sql)}
      and (${pattern}::text is null or name ilike ${pattern})
    order by id desc limit ${limit} offset ${(page - 1) * limit}`
  const [{ total } = { total: 0 }] =
    pattern === null
      ? await sql<{ total: number }[]>`
          select coalesce(sum(documents_pending + documents_ready + documents_failed), 0)::int as total
          from kb_sources where kb_id = ${kbId} and organization_id = ${scope.organizationId}`
      : await sql<{ total: number }[]>`
          select count(*)::int as total from kb_documents d
          where kb_id = ${kbId} and organization_id = ${scope.organizationId} and name ilike ${pattern}
            and ${hasSource(sql)}`
  const rows = await scope.select(kbDocuments, {
    where: inArray(
      kbDocuments.id,
      ids.map(({ id }) => id),
    ),
    orderBy: [desc(kbDocuments.id)],
  })
  return { documents: rows.map(viewDocument), total, page, limit }
}

/**
 * Returns a document with one page of its chunks: the page that contains `chunk_id`. If `chunk_id` is omitted or no
 * longer exists, returns the requested page. Throws kb.document_not_found.
 */
export async function getDocument(
  scope: Scope<'kb:read'>,
  {
    kb_id: kbId,
    document_id: id,
    chunk_id: chunkId,
    page: requestedPage = 1,
    limit = LIMIT_DEFAULT,
  }: NumberedPage & { kb_id: string; document_id: string; chunk_id?: string },
): Promise<DocumentWithChunks> {
  const [document] = await scope.select(kbDocuments, {
    where: isDocument(kbId, id),
  })
  if (!document) throw fail('kb.document_not_found', { value: id })
  const { sql } = scope
  const [sought] = await sql<{ position: number }[]>`
    select position from kb_chunks
    where id = ${chunkId ?? null} and kb_id = ${kbId} and document_id = ${id}
      and organization_id = ${scope.organizationId}`
  const page = sought ? Math.floor(sought.position / limit) + 1 : requestedPage
  const from = (page - 1) * limit
  const chunks = await sql<ChunkRow[]>`
    select id, document_id as "documentId", position, content, headings, page, tokens, is_enabled as "isEnabled",
      is_edited as "isEdited"
    from kb_chunks
    where kb_id = ${kbId} and document_id = ${id} and organization_id = ${scope.organizationId}
      and position >= ${from} and position < ${from + limit}
    order by position`
  return { ...viewDocument(document), chunks: chunks.map(viewChunk), page, limit }
}

/**
 * Deletes a document. The next reading of its source adds the document again if the source still contains it. Throws
 * kb.document_not_found.
 */
export async function deleteDocument(
  deps: KbDependencies,
  scope: Scope<'kb:delete'>,
  kbId: string,
  documentId: string,
): Promise<void> {
  await scope.transaction(async (database) => {
    // Lock order: the knowledge base before its document counters (migration 0012).
    await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    const rows = await database.delete(kbDocuments, isDocument(kbId, documentId))
    if (rows.length === 0) throw fail('kb.document_not_found', { value: documentId })
  })
  await deps.ingestion.begin({ organizationId: scope.organizationId, id: kbId })
}

/** True for the document of a knowledge base, unless its source was deleted. */
const isDocument = (kbId: string, id: string): SQL | undefined =>
  and(
    eq(kbDocuments.kbId, kbId),
    eq(kbDocuments.id, id),
    sql`exists (select from ${kbSources} where ${eq(kbSources.id, kbDocuments.sourceId)}
      and ${eq(kbSources.organizationId, kbDocuments.organizationId)})`,
  )

/** Stores an uploaded file for a later source of type `file`. Throws the errors of storeUpload. */
export const uploadFile = (
  { services }: KbDependencies,
  scope: Scope<'kb:write'>,
  encoding: string | undefined,
  file: ReceivedFile,
): Promise<UploadView> =>
  storeUpload(services, scope, file, { needsText: true, ...(encoding && { encoding }) })
