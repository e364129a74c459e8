import { newId } from '#database/new-id.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { AppError } from '#errors'
import type { TextKind } from '#platform/documents/split-text.ts'
import { reserveBytes } from '#platform/limits/stored-bytes.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import type { IngestionDependencies } from './ingestion.ts'
import { lockKb } from './lock-kb.ts'
import { isBeingRead, type ReadingSource, SourceGone } from './reading.ts'

/** A page of a website, or an object of a bucket. */
export interface FoundDocument {
  key: string
  name: string
  mimeType: string
  /** Size in bytes. */
  size: number
  metadata: Record<string, unknown>
  /** Identifier of the content's version, such as an ETag. Null if the source provides none. */
  fingerprint: string | null
  /** Extracted text, or a sentence with the reason why it could not be extracted. */
  text: { content: string; hash: string; kind: TextKind } | { failure: string }
}

/** @limit name of a document */
const NAME_CHARACTERS_MAX = 500
/** One document per transaction. */
const SINGLE = new BatchSize({ least: 1, most: 1 })

/**
 * Stores a page or object as a document. The document becomes pending if its name or text is new or changed, or if it
 * failed before. If the text cannot be extracted, or exceeds the organization's storage, a stored document keeps its
 * previous text and records the reason. Throws SourceGone.
 */
export async function storeDocument(
  deps: IngestionDependencies,
  source: ReadingSource,
  document: FoundDocument,
): Promise<void> {
  const store = async (text: FoundDocument['text']): Promise<boolean> => {
    let isWaiting = false
    await deps.services.pacer.pace(
      SINGLE,
      (_limit, starts) =>
        deps.sqlOf(source).begin(async (tx) => {
          await lockKb(tx, source)
          starts()
          const locked = await tx`select from kb_sources where ${isBeingRead(tx, deps, source)}`
          if (locked.count === 0) throw new SourceGone()
          isWaiting = await ('failure' in text
            ? storeFailure(tx, source, document, text.failure)
            : storeText(tx, source, document, text))
          return SINGLE.now
        }),
      deps.stopping,
    )
    return isWaiting
  }
  const isWaiting = await store(document.text).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'upload.quota') throw error
    return store({ failure: error.message })
  })
  if (isWaiting) await deps.wakeIndexing(source)
  deps.announce(source)
}

async function storeText(
  tx: TenantTransaction,
  { organizationId, kbId, sourceId, reading }: ReadingSource,
  { key, name, mimeType, size, metadata, fingerprint }: FoundDocument,
  { content, hash, kind }: { content: string; hash: string; kind: TextKind },
): Promise<boolean> {
  // A changed name also requires indexing, because each chunk is indexed with the document's name.
  const isNews = tx`(d.content_hash is distinct from excluded.content_hash or d.name <> excluded.name
    or d.status = 'failed')`
  const bytes = Buffer.byteLength(content)
  const [row] = await tx<{ id: string; status: string; added: number }[]>`
    with earlier as (
      select stored_bytes from kb_documents
      where source_id = ${sourceId} and organization_id = ${organizationId} and key = ${key})
    insert into kb_documents as d (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
      fingerprint, content_hash, text_kind, text_bytes, stored_bytes, found_by)
    values (${newId()}, ${organizationId}, ${kbId}, ${sourceId}, ${key}, ${nameOf(name)}, ${mimeType}, ${size},
      ${JSON.stringify(metadata)}::text::jsonb, 'pending', ${fingerprint}, ${hash}, ${kind}, ${bytes}, ${bytes},
      ${reading})
    on conflict (source_id, key) do update set
      name = excluded.name, mime_type = excluded.mime_type, size = excluded.size, metadata = excluded.metadata,
      fingerprint = excluded.fingerprint, content_hash = excluded.content_hash, text_kind = excluded.text_kind,
      text_bytes = excluded.text_bytes, stored_bytes = excluded.stored_bytes, found_by = excluded.found_by, error = null,
      failures = 0, not_before = null,
      status = case when ${isNews} then 'pending' else d.status end,
      claimed_by = case when ${isNews} then null else d.claimed_by end, updated_at = now()
    where d.organization_id = ${organizationId}
    returning id, status, (d.stored_bytes - coalesce((select stored_bytes from earlier), 0))::int as added`
  if (!row) return false
  await reserveBytes(tx, organizationId, row.added)
  if (row.status !== 'pending') return false
  await tx`
    insert into kb_texts (document_id, organization_id, kb_id, text)
    values (${row.id}, ${organizationId}, ${kbId}, ${content})
    on conflict (document_id) do update set text = excluded.text
    where kb_texts.organization_id = ${organizationId}`
  return true
}

async function storeFailure(
  tx: TenantTransaction,
  { organizationId, kbId, sourceId, reading }: ReadingSource,
  { key, name, mimeType, size, metadata, fingerprint }: FoundDocument,
  failure: string,
): Promise<boolean> {
  await tx`
    insert into kb_documents as d (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
      error, fingerprint, found_by)
    values (${newId()}, ${organizationId}, ${kbId}, ${sourceId}, ${key}, ${nameOf(name)}, ${mimeType}, ${size},
      ${JSON.stringify(metadata)}::text::jsonb, 'failed', ${failure}, ${fingerprint}, ${reading})
    on conflict (source_id, key) do update
    set found_by = excluded.found_by, error = excluded.error, updated_at = now()
    where d.organization_id = ${organizationId}`
  return false
}

const nameOf = (name: string): string => name.slice(0, NAME_CHARACTERS_MAX).toWellFormed()

/**
 * Records that this reading found these documents. Skips documents whose fingerprint changed or that failed before.
 * Returns the keys of the recorded documents.
 */
export async function confirmDocuments(
  deps: IngestionDependencies,
  source: ReadingSource,
  found: readonly { key: string; fingerprint: string }[],
): Promise<Set<string>> {
  return deps.sqlOf(source).begin(async (tx) => {
    await lockKb(tx, source)
    const rows = await tx<{ key: string }[]>`
      update kb_documents d
      set found_by = ${source.reading}, error = case when d.status = 'ready' then null else d.error end
      from json_to_recordset(${JSON.stringify(found)}::text::json) as f (key text, fingerprint text)
      where d.source_id = ${source.sourceId} and d.organization_id = ${source.organizationId} and d.key = f.key and d.fingerprint = f.fingerprint
        and d.status <> 'failed'
      returning d.key`
    return new Set(rows.map(({ key }) => key))
  })
}
