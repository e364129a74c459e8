import Type, { type Static } from 'typebox'
import type { kbChunks, kbDocuments, kbSources, knowledgeBases } from '#database/schema/kb.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  described,
  Enum,
  idOf,
  NAME,
  NOT_BLANK,
  Nullable,
  ObjectId,
  OrganizationId,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'
import { describeSource, describeSources, INGESTION_STATUSES, STATUSES } from './ingestion-state.ts'
import { NewSource, SOURCE_TYPES } from './source-config.ts'

export type KnowledgeBaseRow = typeof knowledgeBases.$inferSelect
export type SourceRow = typeof kbSources.$inferSelect
export type DocumentRow = typeof kbDocuments.$inferSelect
export type ChunkRow = Pick<
  typeof kbChunks.$inferSelect,
  'id' | 'documentId' | 'position' | 'content' | 'headings' | 'page' | 'tokens' | 'isEnabled' | 'isEdited'
>

/** @limit sources of a knowledge base */
export const SOURCES_MAX = 100
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  ...NAME,
  description: 'Name of the knowledge base.',
})
const Description = Type.String({ maxLength: 5_000, description: 'Description for people.' })

export const Chunking = Body(
  {
    max_tokens: Type.Optional(
      Type.Integer({
        minimum: 32,
        maximum: 2_000,
        description: 'Maximum number of tokens per chunk. Default: 400.',
      }),
    ),
    overlap_tokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 500,
        description:
          'Tokens that a chunk repeats from the previous one, at most a quarter of `max_tokens`. Default: 50.',
      }),
    ),
  },
  { title: 'Chunking', description: 'How to split documents into chunks.' },
)
export type Chunking = Static<typeof Chunking>

export const EmbeddingModel = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name or ID of a model with the capability embedding, or `local` (built in, lexical, free).',
})

export const NewKnowledgeBase = Body({
  name: Name,
  description: Description,
  embedding_model: EmbeddingModel,
  sources: Type.Array(NewSource, { maxItems: SOURCES_MAX, description: 'Sources to ingest.' }),
  chunking: Type.Optional(described(Chunking, 'How to split documents into chunks.')),
})
export type NewKnowledgeBase = Static<typeof NewKnowledgeBase>

export const KnowledgeBaseChange = Body({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
})
export type KnowledgeBaseChange = Static<typeof KnowledgeBaseChange>

export const Reindexing = Body({
  embedding_model: Type.Optional(EmbeddingModel),
  chunking: Type.Optional(described(Chunking, 'How to split documents into chunks.')),
  source_id: Type.Optional(
    Type.Unsafe<string>({
      ...Uuid,
      description: 'ID of the only source to read again. Unchanged documents stay.',
    }),
  ),
})
export type Reindexing = Static<typeof Reindexing>

const Counts = Type.Object({
  total: Type.Integer({ description: 'Number of documents.' }),
  ready: Type.Integer({ description: 'Number of indexed documents.' }),
  failed: Type.Integer({ description: 'Number of failed documents.' }),
  pending: Type.Integer({ description: 'Number of documents that are waiting or being indexed.' }),
})

const sourceState = {
  id: ObjectId,
  type: Enum(SOURCE_TYPES, { description: 'Type of the source.' }),
  status: Enum(STATUSES, { description: 'Status of the ingestion.' }),
  error: Nullable(Type.String({ description: 'Reason why the ingestion failed; null if it did not.' })),
}

export const SourceView = Type.Object(
  {
    ...sourceState,
    kb_id: idOf('the knowledge base'),
    config: Type.Object(
      {},
      { additionalProperties: true, description: 'Settings of the source, without secrets.' },
    ),
    document_count: Type.Integer({ description: 'Number of documents from the source.' }),
    skipped: Type.Integer({ description: 'Number of files skipped because their type has no text.' }),
    created_by: CreatedBy,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'KnowledgeBaseSource' },
)
export type SourceView = Static<typeof SourceView>

export const KnowledgeBaseView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    created_by: CreatedBy,
    name: Type.String({ description: 'Name of the knowledge base.' }),
    description: Type.String({ description: 'Description for people.' }),
    embedding_model: Type.String({ description: 'Embedding model of the index.' }),
    chunking: Type.Object(
      {
        max_tokens: Type.Integer({ description: 'Maximum number of tokens per chunk.' }),
        overlap_tokens: Type.Integer({ description: 'Tokens that a chunk repeats from the previous one.' }),
      },
      { description: 'How documents are split into chunks.' },
    ),
    status: Enum(STATUSES, { description: 'Status of the ingestion of all sources.' }),
    document_count: Type.Integer({ description: 'Number of documents.' }),
    chunk_count: Type.Integer({ description: 'Number of chunks.' }),
    index_version: Type.Integer({
      description: 'Version of the index. Each change that affects results increments it.',
    }),
    sources: Type.Array(SourceView, { description: 'Sources of the knowledge base.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'KnowledgeBase' },
)
export type KnowledgeBaseView = Static<typeof KnowledgeBaseView>

export const IngestionStatus = Type.Object(
  {
    kb_id: idOf('the knowledge base'),
    status: Enum(INGESTION_STATUSES, {
      description: 'Status of the ingestion of all sources. `partial`: some sources failed.',
    }),
    progress: Type.Number({ description: 'Progress, from 0 to 1.' }),
    documents: described(Counts, 'Documents by status.'),
    sources: Type.Array(
      Type.Object({ ...sourceState, documents: described(Counts, 'Documents of the source by status.') }),
      { description: 'Ingestion of each source.' },
    ),
  },
  { title: 'IngestionStatus' },
)
export type IngestionStatus = Static<typeof IngestionStatus>

export const DocumentView = Type.Object(
  {
    id: ObjectId,
    kb_id: idOf('the knowledge base'),
    source_id: idOf('the source'),
    name: Type.String({ description: 'Name of the document.' }),
    mime_type: Type.String({ description: 'Media type of the document.' }),
    size: Type.Integer({ description: 'Size of the document, in bytes.' }),
    status: Enum(STATUSES, { description: 'Status of the document.' }),
    error: Nullable(Type.String({ description: 'Reason why the document failed; null if it did not.' })),
    chunk_count: Type.Integer({ description: 'Number of chunks.' }),
    metadata: Type.Object(
      {},
      { additionalProperties: true, description: 'Metadata from the source, such as url or last_modified.' },
    ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'KnowledgeBaseDocument' },
)
export type DocumentView = Static<typeof DocumentView>

/** Numbered pages instead of cursors, as the spec defines them for documents. */
export const NumberedPage = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page number, from 1.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Maximum number of items per page.' }),
  ),
}

export const DocumentList = Type.Object(
  {
    documents: Type.Array(DocumentView, { description: 'Documents of this page.' }),
    total: Type.Integer({ description: 'Number of documents on all pages.' }),
    page: Type.Integer({ description: 'Page number, from 1.' }),
    limit: Type.Integer({ description: 'Maximum number of documents per page.' }),
  },
  { title: 'DocumentList' },
)
export type DocumentList = Static<typeof DocumentList>

export const ChunkView = Type.Object(
  {
    id: ObjectId,
    document_id: idOf('the document'),
    position: Type.Integer({ description: 'Position within the document, from 0.' }),
    content: Type.String({ description: 'Text of the chunk.' }),
    headings: Type.Array(Type.String(), { description: 'Headings above the chunk, outermost first.' }),
    page: Nullable(
      Type.Integer({ description: 'Page of the document, from 1; null if the document has no pages.' }),
    ),
    tokens: Type.Integer({ description: 'Number of tokens.' }),
    is_enabled: Type.Boolean({ description: 'Whether searches can return the chunk.' }),
    is_edited: Type.Boolean({
      description: 'Whether a person edited the chunk since its document was last indexed.',
    }),
  },
  { title: 'Chunk' },
)
export type ChunkView = Static<typeof ChunkView>

export const DocumentWithChunks = Type.Object(
  {
    ...DocumentView.properties,
    chunks: Type.Array(ChunkView, { description: 'Chunks of this page.' }),
    page: Type.Integer({ description: 'Page number, from 1.' }),
    limit: Type.Integer({ description: 'Maximum number of chunks per page.' }),
  },
  { title: 'DocumentWithChunks' },
)
export type DocumentWithChunks = Static<typeof DocumentWithChunks>

export const ChunkChange = Body({
  content: Type.Optional(
    Type.String({ minLength: 1, maxLength: 20_000, ...NOT_BLANK, description: 'New text of the chunk.' }),
  ),
  is_enabled: Type.Optional(Type.Boolean({ description: 'Whether searches can return the chunk.' })),
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
  const { ingestion: status, progress, documents } = describeSources(sources)
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
