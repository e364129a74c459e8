import { and, eq, inArray, type PgColumn, type SQL, sql } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { kbDocuments, kbSources, kbTexts, knowledgeBases } from '#database/schema/kb.ts'
import { uploads, uploadTexts } from '#database/schema/uploads.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { cleanText } from '#platform/documents/bounded-text.ts'
import type { KbDependencies } from './dependencies.ts'
import { SOURCES_MAX, type SourceView, viewSource } from './schemas.ts'
import {
  checkSource,
  type FileConfig,
  type NewSource,
  type SourceConfig,
  splitSecrets,
  type TextConfig,
} from './source-config.ts'
import { bytesIn, hashIn, hashOf, textKindIn, textKindOf } from './text-kind.ts'

/**
 * Adds a source to a knowledge base. The documents of files and text are stored immediately as pending. Websites and
 * buckets are read in the background. Throws kb.source_invalid, kb.too_many_sources, upload.not_found,
 * upload.quota.
 */
export async function addSource(
  deps: KbDependencies,
  scope: Scope<'kb:write'>,
  kbId: string,
  input: NewSource,
): Promise<SourceView> {
  const source = prepareSource(deps, input)
  const kb = await scope.transaction(async (database) => {
    const [row] = await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    if (!row) throw fail('kb.not_found', { value: kbId })
    const [last] = await database.select(kbSources, {
      where: eq(kbSources.kbId, kbId),
      offset: SOURCES_MAX - 1,
      limit: 1,
    })
    if (last) throw fail('kb.too_many_sources', { limit: SOURCES_MAX })
    await insertSource(database, scope, kbId, source)
    return row
  })
  await deps.ingestion.begin(kb)
  const [made] = await scope.select(kbSources, { where: eq(kbSources.id, source.id) })
  if (!made) throw fail('kb.source_not_found', { value: source.id })
  return viewSource(made)
}

/** Deletes a source. Its documents are deleted in the background. Throws kb.source_not_found. */
export async function deleteSource(
  deps: KbDependencies,
  scope: Scope<'kb:delete'>,
  kbId: string,
  sourceId: string,
): Promise<void> {
  await scope.transaction(async (database) => {
    // Lock order: the knowledge base before its document counters (migration 0012).
    await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    const where = and(eq(kbSources.kbId, kbId), eq(kbSources.id, sourceId))
    const rows = await database.delete(kbSources, where)
    if (rows.length === 0) throw fail('kb.source_not_found', { value: sourceId })
  })
  await deps.contentsEraser.wake()
  await deps.ingestion.begin({ organizationId: scope.organizationId, id: kbId })
}

export interface PreparedSource {
  id: string
  source: SourceConfig
  publicConfig: Record<string, unknown>
  /** Encrypted secret of the source. Null if the source has none. */
  secrets: string | null
}

/** Validates a source and encrypts its secrets. Throws request.invalid, kb.source_invalid. */
export function prepareSource(
  { services: { net, secrets } }: KbDependencies,
  input: NewSource,
): PreparedSource {
  const id = newId()
  const source = checkSource(net, input)
  const { publicConfig, secret } = splitSecrets(source)
  return { id, source, publicConfig, secrets: secret === null ? null : secrets.encrypt(secret, id) }
}

type Statements = Parameters<Parameters<Scope<'kb:write'>['transaction']>[0]>[0]

/**
 * Inserts a source and, for files and text, its documents. The transaction must hold the lock on the knowledge base.
 * Throws upload.not_found, upload.quota.
 */
export async function insertSource(
  database: Statements,
  scope: Scope<'kb:write'>,
  kbId: string,
  { id, source, publicConfig, secrets }: PreparedSource,
): Promise<void> {
  const isRead = source.type === 'file' || source.type === 'text'
  await database.insert(kbSources, {
    id,
    kbId,
    createdBy: scope.userId,
    type: source.type,
    config: publicConfig,
    secrets,
    status: isRead ? 'read' : 'pending',
    nextReadingAt: isRead ? null : new Date(),
  })
  const key = { kbId, sourceId: id }
  if (source.type === 'file') await insertFiles(database, key, source.config)
  if (source.type === 'text') await insertText(database, key, source.config)
  if (!isRead) return
  const made = await database.select(kbDocuments, { where: eq(kbDocuments.sourceId, id) })
  await database.reserve(made.reduce((sum, { storedBytes }) => sum + storedBytes, 0))
}

interface SourceKey {
  kbId: string
  sourceId: string
}

const NO_TEXT = sentence('kb.file_without_text')

/**
 * Inserts a document for each upload. Copies the extracted text, so that a document survives the deletion of its
 * upload.
 */
async function insertFiles(
  database: Statements,
  key: SourceKey,
  { upload_ids: ids }: FileConfig,
): Promise<void> {
  const documentIds = JSON.stringify(Object.fromEntries(ids.map((id) => [id, newId()])))
  const documentOf = (uploadId: PgColumn): SQL =>
    sql`(${documentIds}::text::jsonb ->> ${uploadId}::text)::uuid`
  const { text, isCut, uploadId } = uploadTexts
  const files = {
    from: uploads,
    leftJoin: { table: uploadTexts, on: eq(uploadId, uploads.id) },
    where: and(inArray(uploads.id, ids), eq(uploads.status, 'stored')),
  }
  const found = await database.copy(files, kbDocuments, {
    ...key,
    id: documentOf(uploads.id),
    key: sql`${uploads.id}::text`,
    name: uploads.filename,
    mimeType: uploads.contentType,
    size: uploads.size,
    metadata: sql`jsonb_strip_nulls(jsonb_build_object(
      'is_cut', nullif(${isCut}, false),
      'encoding', ${uploads.textEncoding},
      'encoding_doubtful', nullif(${uploads.isEncodingDoubtful}, false)))`,
    status: sql`case when ${text} is null then 'failed' else 'pending' end`,
    error: sql`case when ${text} is null then coalesce(${uploads.textError}, ${NO_TEXT}) end`,
    foundBy: 0,
    contentHash: hashIn(text),
    textKind: sql`case when ${text} is not null then ${textKindIn(uploads.contentType)} end`,
    textBytes: bytesIn(text),
    storedBytes: bytesIn(text),
  })
  if (found < ids.length) {
    const stored = await database.select(uploads, { where: files.where })
    const missing = ids.find((id) => !stored.some((upload) => upload.id === id.toLowerCase()))
    throw fail('upload.not_found', { value: missing ?? '' })
  }
  await database.copy({ from: uploadTexts, where: inArray(uploadId, ids) }, kbTexts, {
    documentId: documentOf(uploadId),
    kbId: key.kbId,
    text,
  })
}

const TEXT_TYPE = 'text/markdown'

async function insertText(database: Statements, key: SourceKey, config: TextConfig): Promise<void> {
  const id = newId()
  const text = cleanText(config.content)
  await database.insertAll(kbDocuments, [
    {
      ...key,
      id,
      key: 'text',
      name: config.name.trim(),
      mimeType: TEXT_TYPE,
      size: Buffer.byteLength(config.content),
      metadata: {},
      status: 'pending',
      foundBy: 0,
      contentHash: hashOf(text),
      textKind: textKindOf(TEXT_TYPE),
      textBytes: Buffer.byteLength(text),
      storedBytes: Buffer.byteLength(text),
    },
  ])
  await database.insertAll(kbTexts, [{ documentId: id, kbId: key.kbId, text }])
}
