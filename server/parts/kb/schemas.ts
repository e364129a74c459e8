import Type, { type Static } from 'typebox'
import type { kbChunks, kbDocuments, kbSources, knowledgeBases } from '#database/schema/kb.ts'
import { Body, Enum, NOT_BLANK, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { describeSource, describeSources, STATUSES } from './ingestion-state.ts'
import { NewSource, SOURCE_TYPES } from './source-config.ts'

export type KnowledgeBaseRow = typeof knowledgeBases.$inferSelect
export type SourceRow = typeof kbSources.$inferSelect
export type DocumentRow = typeof kbDocuments.$inferSelect
export type ChunkRow = Pick<
  typeof kbChunks.$inferSelect,
  'id' | 'documentId' | 'position' | 'content' | 'headings' | 'page' | 'tokens' | 'isEnabled' | 'isEdited'
>

export const SOURCES_MAX = 100
const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK })
const Description = Type.String({ maxLength: 5_000 })

export const Chunking = Body(
  {
    max_tokens: Type.Optional(
      Type.Integer({ minimum: 32, maximum: 2_000, description: 'Of a chunk; 400 where absent' }),
    ),
    overlap_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 500,
        description:
          'That a chunk repeats of the one before, a quarter of max_tokens at most; 50 where absent',
      }),
    ),
  },
  { title: 'Chunking' },
)
export type Chunking = Static<typeof Chunking>

export const EmbeddingModel = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'local (built in, lexical, free), or the name or id of a listed model with the capability embedding',
})

export const NewKnowledgeBase = Body({
  name: Name,
  description: Description,
  embedding_model: EmbeddingModel,
  sources: Type.Array(NewSource, { maxItems: SOURCES_MAX }),
  chunking: Type.Optional(Chunking),
})
export type NewKnowledgeBase = Static<typeof NewKnowledgeBase>

export const KnowledgeBaseChange = Body({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
})
export type KnowledgeBaseChange = Static<typeof KnowledgeBaseChange>

export const Reindexing = Body({
  embedding_model: Type.Optional(EmbeddingModel),
  chunking: Type.Optional(Chunking),
  source_id: Type.Optional(
    Type.Unsafe<string>({
      ...Uuid,
      description: 'Only read this source again, now; what has not changed stays',
    }),
  ),
})
export type Reindexing = Static<typeof Reindexing>

const Counts = Type.Object({
  total: Type.Integer(),
  ready: Type.Integer(),
  failed: Type.Integer(),
  pending: Type.Integer(),
})

const sourceState = {
  id: Uuid,
  type: Enum(SOURCE_TYPES),
  status: Enum(STATUSES),
  error: Nullable(Type.String()),
}

export const SourceView = Type.Object(
  {
    ...sourceState,
    kb_id: Uuid,
    config: Type.Object({}, { additionalProperties: true, description: 'Without secrets' }),
    document_count: Type.Integer(),
    skipped: Type.Integer({ description: 'Files whose kind holds no text' }),
    created_by: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'KnowledgeBaseSource' },
)
export type SourceView = Static<typeof SourceView>

export const KnowledgeBaseView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    created_by: Uuid,
    name: Type.String(),
    description: Type.String(),
    embedding_model: Type.String(),
    chunking: Type.Object({ max_tokens: Type.Integer(), overlap_tokens: Type.Integer() }),
    status: Enum(STATUSES),
    document_count: Type.Integer(),
    chunk_count: Type.Integer(),
    index_version: Type.Integer({ description: 'Raised by whatever changes what is found' }),
    sources: Type.Array(SourceView),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'KnowledgeBase' },
)
export type KnowledgeBaseView = Static<typeof KnowledgeBaseView>

export const IngestionStatus = Type.Object(
  {
    kb_id: Uuid,
    status: Enum(STATUSES),
    progress: Type.Number({ description: '0 to 1' }),
    documents: Counts,
    sources: Type.Array(Type.Object({ ...sourceState, documents: Counts })),
  },
  { title: 'IngestionStatus' },
)
export type IngestionStatus = Static<typeof IngestionStatus>

export const DocumentView = Type.Object(
  {
    id: Uuid,
    kb_id: Uuid,
    source_id: Uuid,
    name: Type.String(),
    mime_type: Type.String(),
    size: Type.Integer({ description: 'Bytes' }),
    status: Enum(STATUSES),
    error: Nullable(Type.String()),
    chunk_count: Type.Integer(),
    metadata: Type.Object({}, { additionalProperties: true }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'KnowledgeBaseDocument' },
)
export type DocumentView = Static<typeof DocumentView>

/** Pages by their numbers, as the specification has them for documents. */
export const NumberedPage = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
}

export const DocumentList = Type.Object(
  {
    documents: Type.Array(DocumentView),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
  },
  { title: 'DocumentList' },
)
export type DocumentList = Static<typeof DocumentList>

export const ChunkView = Type.Object(
  {
    id: Uuid,
    document_id: Uuid,
    position: Type.Integer({ description: 'Within the document, from 0' }),
    content: Type.String(),
    headings: Type.Array(Type.String(), { description: 'Above it, from the first to the nearest' }),
    page: Nullable(Type.Integer()),
    tokens: Type.Integer(),
    is_enabled: Type.Boolean({ description: 'Disabled chunks are never found' }),
    is_edited: Type.Boolean({ description: 'Changed by a person, until its document is indexed anew' }),
  },
  { title: 'Chunk' },
)
export type ChunkView = Static<typeof ChunkView>

export const DocumentWithChunks = Type.Object(
  {
    ...DocumentView.properties,
    chunks: Type.Array(ChunkView),
    page: Type.Integer(),
    limit: Type.Integer(),
  },
  { title: 'DocumentWithChunks' },
)
export type DocumentWithChunks = Static<typeof DocumentWithChunks>

export const ChunkChange = Body({
  content: Type.Optional(Type.String({ minLength: 1, maxLength: 20_000, ...NOT_BLANK })),
  is_enabled: Type.Optional(Type.Boolean()),
})
export type ChunkChange = Static<typeof ChunkChange>

export function viewSource(row: SourceRow): SourceView {
  const { status, error, documents } = describeSource(row)
  return {
    id: row.id,
    kb_id: row.kbId,
    type: row.type,
    config: row.config,
    status,
    error,
    document_count: documents.total,
    skipped: row.skipped,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

export function viewKnowledgeBase(row: KnowledgeBaseRow, sources: SourceRow[]): KnowledgeBaseView {
  const { status, documents } = describeSources(sources)
  return {
    id: row.id,
    organization_id: row.organizationId,
    created_by: row.createdBy,
    name: row.name,
    description: row.description,
    embedding_model: row.embeddingModel,
    chunking: row.chunking,
    status,
    document_count: documents.total,
    chunk_count: row.chunkCount,
    index_version: row.indexVersion,
    sources: sources.map(viewSource),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

export function viewIngestion(kbId: string, sources: SourceRow[]): IngestionStatus {
  const { status, progress, documents } = describeSources(sources)
  const views = sources.map((row) => ({ id: row.id, type: row.type, ...describeSource(row) }))
  return { kb_id: kbId, status, progress, documents, sources: views }
}

export const viewDocument = (row: DocumentRow): DocumentView => ({
  id: row.id,
  kb_id: row.kbId,
  source_id: row.sourceId,
  name: row.name,
  mime_type: row.mimeType,
  size: row.size,
  status: row.status,
  error: row.error,
  chunk_count: row.chunkCount,
  metadata: row.metadata,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const viewChunk = (row: ChunkRow): ChunkView => ({
  id: row.id,
  document_id: row.documentId,
  position: row.position,
  content: row.content,
  headings: row.headings,
  page: row.page,
  tokens: row.tokens,
  is_enabled: row.isEnabled,
  is_edited: row.isEdited,
})
