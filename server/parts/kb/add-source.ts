import { and, eq, inArray } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { kbDocuments, kbSources, kbTexts, knowledgeBases } from '#database/schema/kb.ts'
import { uploads, uploadTexts } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { cleanText } from '#platform/documents/bounded-text.ts'
import type { KbDesk } from './desk.ts'
import { SOURCES_MAX, type SourceView, viewSource } from './schemas.ts'
import {
  checkSource,
  type FileConfig,
  type NewSource,
  type SourceConfig,
  splitSecrets,
} from './source-config.ts'
import { hashOf, textKindOf } from './text-kind.ts'

/**
 * Adds a source: a website or a bucket is read after the answer; files and texts are documents at once, to be indexed
 * after it. Throws kb.source_invalid, kb.too_many_sources, upload.not_found.
 */
export async function addSource(
  desk: KbDesk,
  scope: Scope<'kb:write'>,
  kbId: string,
  input: NewSource,
): Promise<SourceView> {
  const source = prepareSource(desk, input)
  const kb = await scope.transaction(async (database) => {
    const [row] = await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    if (!row) throw fail('kb.not_found')
    const others = await database.select(kbSources, { where: eq(kbSources.kbId, kbId), limit: SOURCES_MAX })
    if (others.length >= SOURCES_MAX) throw fail('kb.too_many_sources', { limit: SOURCES_MAX })
    await insertSource(database, scope, kbId, source)
    return row
  })
  await desk.ingestion.begin(kb)
  const [made] = await scope.select(kbSources, { where: eq(kbSources.id, source.id) })
  if (!made) throw fail('kb.source_not_found')
  return viewSource(made)
}

/** Its documents go with it. */
export async function deleteSource(
  desk: KbDesk,
  scope: Scope<'kb:delete'>,
  kbId: string,
  sourceId: string,
): Promise<void> {
  await scope.transaction(async (database) => {
    // Who counts documents locks the knowledge base first (migration 0012).
    await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    const where = and(eq(kbSources.kbId, kbId), eq(kbSources.id, sourceId))
    const rows = await database.delete(kbSources, where)
    if (rows.length === 0) throw fail('kb.source_not_found')
  })
  await desk.ingestion.begin({ organizationId: scope.organizationId, id: kbId })
}

/** A source that may be stored. */
export interface PreparedSource {
  id: string
  source: SourceConfig
  shown: Record<string, unknown>
  /** Encrypted. */
  secrets: string | null
}

/** Throws request.invalid, kb.source_invalid. */
export function prepareSource({ rooms: { net, secrets } }: KbDesk, input: NewSource): PreparedSource {
  const id = newId()
  const source = checkSource(net, input)
  const { shown, secret } = splitSecrets(source)
  return { id, source, shown, secrets: secret === null ? null : secrets.encrypt(secret, id) }
}

type Statements = Parameters<Parameters<Scope<'kb:write'>['transaction']>[0]>[0]

/** Inside the transaction of its knowledge base. Throws upload.not_found. */
export async function insertSource(
  database: Statements,
  scope: Scope<'kb:write'>,
  kbId: string,
  { id, source, shown, secrets }: PreparedSource,
): Promise<void> {
  const isRead = source.type === 'file' || source.type === 'text'
  await database.insert(kbSources, {
    id,
    kbId,
    createdBy: scope.userId,
    type: source.type,
    config: shown,
    secrets,
    status: isRead ? 'read' : 'pending',
    nextReadingAt: isRead ? null : new Date(),
  })
  if (source.type === 'file') await insertFiles(database, { kbId, sourceId: id }, source.config)
  if (source.type === 'text')
    await insertDocuments(database, [
      {
        kbId,
        sourceId: id,
        key: 'text',
        name: source.config.name.trim(),
        mimeType: 'text/markdown',
        size: Buffer.byteLength(source.config.content),
        text: cleanText(source.config.content),
        metadata: {},
      },
    ])
}

interface NewDocument {
  kbId: string
  sourceId: string
  key: string
  name: string
  mimeType: string
  size: number
  /** Null: it holds none. */
  text: string | null
  metadata: Record<string, unknown>
}

const NO_TEXT = 'No text could be read in this file.'
/** So many texts are in memory at once; each may have some megabytes. */
const FILES_AT_ONCE = 20

/** What the files say is copied, so that a file can go and the document stays. */
async function insertFiles(
  database: Statements,
  place: { kbId: string; sourceId: string },
  { upload_ids: ids }: FileConfig,
): Promise<void> {
  const files = await database.select(uploads, {
    where: and(inArray(uploads.id, ids), eq(uploads.status, 'stored')),
  })
  if (files.length < ids.length) throw fail('upload.not_found')
  for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
    const some = files.slice(from, from + FILES_AT_ONCE)
    const said = await database.select(uploadTexts, {
      where: inArray(
        uploadTexts.uploadId,
        some.map(({ id }) => id),
      ),
    })
    const textOf = new Map(said.map((row) => [row.uploadId, row]))
    await insertDocuments(
      database,
      some.map(({ id, filename, contentType, size }) => ({
        ...place,
        key: id,
        name: filename,
        mimeType: contentType,
        size,
        text: textOf.get(id)?.text ?? null,
        metadata: textOf.get(id)?.isCut ? { is_cut: true } : {},
      })),
    )
  }
}

async function insertDocuments(database: Statements, documents: NewDocument[]): Promise<void> {
  const rows = documents.map((document) => ({ ...document, id: newId() }))
  await database.insertAll(
    kbDocuments,
    rows.map(({ text, ...row }) => ({
      ...row,
      status: text === null ? ('failed' as const) : ('pending' as const),
      error: text === null ? NO_TEXT : null,
      foundBy: 0,
      ...(text !== null && {
        contentHash: hashOf(text),
        textKind: textKindOf(row.mimeType),
        textBytes: Buffer.byteLength(text),
      }),
    })),
  )
  const texts = rows.flatMap(({ id, kbId, text }) => (text === null ? [] : [{ documentId: id, kbId, text }]))
  if (texts.length > 0) await database.insertAll(kbTexts, texts)
}
