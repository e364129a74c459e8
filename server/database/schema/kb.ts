import {
  bigint,
  boolean,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { llmModels } from './llm.ts'
import { organizations } from './org.ts'

/** Without a fixed dimension: each knowledge base has the dimensions of its embedding model. */
const halfvec = customType<{ data: string }>({ dataType: () => 'halfvec' })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Ordered by bytes, so that equal prefixes are adjacent in every database locale. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** How texts are split into chunks; sizes in tokens. */
export interface Chunking {
  max_tokens: number
  overlap_tokens: number
}

/** Knowledge bases, with the counters of their index. */
export const knowledgeBases = pgTable(
  'knowledge_bases',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    /** `local`, or the name or id of a language model, as requested. */
    embeddingModel: text('embedding_model').notNull(),
    /** The embedding model. Null: the built-in one. */
    embeddingModelId: uuid('embedding_model_id').references(() => llmModels.id),
    /** Changes with the embedding model. Only vectors of the current generation are compared. */
    generation: integer('generation').notNull().default(1),
    /** Dimensions of this generation's vectors. Null: there are none yet. */
    dimensions: integer('dimensions'),
    /** The similarity that this generation's model assigns to unrelated texts. */
    floor: real('floor'),
    chunking: jsonb('chunking').$type<Chunking>().notNull(),
    /** The languages of its documents. Queries are stemmed in each. */
    languages: text('languages').array().notNull().default(sql`'{}'`),
    /** Incremented by every change that affects search results. */
    indexVersion: integer('index_version').notNull().default(0),
    /** The number of the next chunk. Numbers are never reused. */
    nextChunk: integer('next_chunk').notNull().default(1),
    nextSegment: integer('next_segment').notNull().default(1),
    /** The number of existing chunks and of their words, for BM25. */
    chunkCount: integer('chunk_count').notNull().default(0),
    wordCount: bigint('word_count', { mode: 'number' }).notNull().default(0),
    /** Deleted chunks that are still in postings. */
    deadCount: integer('dead_count').notNull().default(0),
    /**
     * Whether sources are being read or documents indexed. Maintained by triggers on kb_sources, which also queue the
     * event at its end (0024).
     */
    isIngesting: boolean('is_ingesting').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('knowledge_bases_organization').on(table.organizationId, table.id),
    uniqueIndex('knowledge_bases_name').on(table.organizationId, sql`lower(${table.name})`),
  ],
)

/** The sources of documents. A trigger on kb_documents maintains the document counts. */
export const kbSources = pgTable(
  'kb_sources',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    type: text('type', { enum: ['web', 's3', 'file', 'text'] }).notNull(),
    /** Without secrets. */
    config: jsonb('config').$type<Record<string, unknown>>().notNull(),
    /** Encrypted, bound to this row's id. */
    secrets: text('secrets'),
    /** pending: to be read; reading: a process is reading it; read: its documents are known. */
    status: text('status', { enum: ['pending', 'reading', 'read', 'failed'] }).notNull(),
    error: text('error'),
    /** The process that is reading it. */
    claimedBy: uuid('claimed_by'),
    /** The number of the current reading. A complete reading deletes the documents that it didn't find. */
    reading: integer('reading').notNull().default(0),
    /** Consecutive failures. */
    failures: integer('failures').notNull().default(0),
    /** Files whose type contains no text. */
    skipped: integer('skipped').notNull().default(0),
    /** When it is due to be read. Null: only on request. */
    nextReadingAt: moment('next_reading_at'),
    documentsPending: integer('documents_pending').notNull().default(0),
    documentsReady: integer('documents_ready').notNull().default(0),
    documentsFailed: integer('documents_failed').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('kb_sources_kb_source').on(table.organizationId, table.kbId, table.id),
    foreignKey({
      name: 'kb_sources_kb',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [knowledgeBases.organizationId, knowledgeBases.id],
    }).onDelete('cascade'),
    index('kb_sources_kb_id').on(table.kbId),
    index('kb_sources_due').on(table.nextReadingAt).where(sql`${table.nextReadingAt} is not null`),
    index('kb_sources_unindexed').on(table.kbId).where(sql`${table.documentsPending} > 0`),
  ],
)

/** The format of a text, which determines how it is split. */
export const TEXT_KINDS = ['markdown', 'plain', 'pages', 'table'] as const

export const kbDocuments = pgTable(
  'kb_documents',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    sourceId: uuid('source_id').notNull(),
    /** Its key within the source: an address, an object key or an upload's id. */
    key: text('key').notNull(),
    name: text('name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Metadata from the source. Search filters use it. */
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull(),
    /** pending: its text waits to be indexed; processing: a process is indexing it. */
    status: text('status', { enum: ['pending', 'processing', 'ready', 'failed'] }).notNull(),
    error: text('error'),
    claimedBy: uuid('claimed_by'),
    /** Consecutive failures. */
    failures: integer('failures').notNull().default(0),
    /** The earliest time of the next try. */
    notBefore: moment('not_before'),
    /** Detects changes without reading the document, such as an ETag. */
    fingerprint: text('fingerprint'),
    /** SHA-256 of its text. Null: it has none. */
    contentHash: text('content_hash'),
    textKind: text('text_kind', { enum: TEXT_KINDS }),
    textBytes: integer('text_bytes').notNull().default(0),
    /** The last reading of the source that found it. */
    foundBy: integer('found_by').notNull(),
    /** The number of its first chunk. Its chunks are numbered consecutively. */
    firstChunk: integer('first_chunk').notNull().default(0),
    chunkCount: integer('chunk_count').notNull().default(0),
    wordCount: integer('word_count').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('kb_documents_kb_document').on(table.organizationId, table.kbId, table.id),
    unique('kb_documents_key').on(table.sourceId, table.key),
    foreignKey({
      name: 'kb_documents_source',
      columns: [table.organizationId, table.kbId, table.sourceId],
      foreignColumns: [kbSources.organizationId, kbSources.kbId, kbSources.id],
    }).onDelete('cascade'),
    index('kb_documents_list').on(table.kbId, table.id),
    index('kb_documents_open')
      .on(table.kbId, table.id)
      .where(sql`${table.status} in ('pending', 'processing')`),
  ],
)

/** The texts of documents, to split them again when settings change. A separate table, since they may be long. */
export const kbTexts = pgTable(
  'kb_texts',
  {
    documentId: uuid('document_id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    text: text('text').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'kb_texts_document',
      columns: [table.organizationId, table.kbId, table.documentId],
      foreignColumns: [kbDocuments.organizationId, kbDocuments.kbId, kbDocuments.id],
    }).onDelete('cascade'),
  ],
)

/** Chunks of documents: the unit of search. */
export const kbChunks = pgTable(
  'kb_chunks',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    /** Unique within the knowledge base. */
    number: integer('number').notNull(),
    documentId: uuid('document_id').notNull(),
    /** The index within the document, from 0. */
    position: integer('position').notNull(),
    page: integer('page'),
    tokens: integer('tokens').notNull(),
    /** The number of words, as BM25 counts them. */
    words: integer('words').notNull(),
    /** Disabled chunks are never found. */
    isEnabled: boolean('is_enabled').notNull().default(true),
    /** Whether a user has edited the text. */
    isEdited: boolean('is_edited').notNull().default(false),
    language: text('language').notNull(),
    headings: text('headings').array().notNull(),
    content: text('content').notNull(),
  },
  (table) => [
    unique('kb_chunks_number').on(table.kbId, table.number),
    // Starts with the columns of the foreign key: deleting a knowledge base deletes the chunks document by document.
    index('kb_chunks_document').on(table.kbId, table.documentId, table.position),
    foreignKey({
      name: 'kb_chunks_document_id',
      columns: [table.organizationId, table.kbId, table.documentId],
      foreignColumns: [kbDocuments.organizationId, kbDocuments.kbId, kbDocuments.id],
    }).onDelete('cascade'),
  ],
)

/**
 * The vectors of chunks. A search scans all of a knowledge base, so the rows contain nothing else, except whether the
 * chunk is enabled. A trigger deletes them with their chunks, because a foreign key would lock each chunk again.
 */
export const kbVectors = pgTable(
  'kb_vectors',
  {
    kbId: uuid('kb_id').notNull(),
    number: integer('number').notNull(),
    generation: integer('generation').notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    embedding: halfvec('embedding').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kbId, table.number] })],
)

/**
 * The chunks that contain a term (platform/retrieval/postings.ts). Each batch of documents writes a segment, and
 * segments are merged. A trigger deletes the rows with their knowledge base: there are too many for a foreign key.
 */
export const kbPostings = pgTable(
  'kb_postings',
  {
    kbId: uuid('kb_id').notNull(),
    term: bytewise('term').notNull(),
    segment: integer('segment').notNull(),
    postings: bytea('postings').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kbId, table.term, table.segment] })],
)

/** A segment of the postings. Small segments are merged into larger ones. */
export const kbSegments = pgTable(
  'kb_segments',
  {
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    segment: integer('segment').notNull(),
    /** The number of chunks that it was written for. */
    chunks: integer('chunks').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kbId, table.segment] }),
    foreignKey({
      name: 'kb_segments_kb',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [knowledgeBases.organizationId, knowledgeBases.id],
    }).onDelete('cascade'),
  ],
)

/** A question and the documents that answer it, by id or by name. Names stay valid when a source is read again. */
export interface EvaluationQuestion {
  question: string
  document_ids?: string[]
  document_names?: string[]
}

/** The result of one question of an evaluation. */
export interface QuestionResult {
  question: string
  /** The best first, each with the score of its best chunk. */
  found: { document_id: string; document_name: string; score: number }[]
  /** The rank of the first correct document. Null: none was found. */
  first_rank: number | null
  recall_at_k: number
  ndcg_at_10: number
  /** Names and ids of expected documents that no longer exist. */
  missing: string[]
  milliseconds: number
  /** Why only the lexical search ran, if the question could not be embedded. */
  dense_failure: string | null
  /** Why the search failed. Such a question counts in no metric. */
  error: string | null
}

/** Test questions that measure a knowledge base. */
export const kbEvaluations = pgTable(
  'kb_evaluations',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    name: text('name').notNull(),
    questions: jsonb('questions').$type<EvaluationQuestion[]>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('kb_evaluations_kb_evaluation').on(table.organizationId, table.kbId, table.id),
    index('kb_evaluations_list').on(table.kbId, table.id),
    foreignKey({
      name: 'kb_evaluations_kb',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [knowledgeBases.organizationId, knowledgeBases.id],
    }).onDelete('cascade'),
  ],
)

/** The runs of an evaluation: settings, results and metrics. */
export const kbEvaluationRuns = pgTable(
  'kb_evaluation_runs',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    evaluationId: uuid('evaluation_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    status: text('status', { enum: ['pending', 'processing', 'complete', 'failed'] }).notNull(),
    error: text('error'),
    claimedBy: uuid('claimed_by'),
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull(),
    metrics: jsonb('metrics').$type<Record<string, number>>(),
    /** One result per question, in their order, for the questions processed so far. */
    results: jsonb('results').$type<QuestionResult[]>(),
    createdAt: createdAt(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('kb_evaluation_runs_list').on(table.evaluationId, table.id),
    index('kb_evaluation_runs_open').on(table.kbId).where(sql`${table.status} in ('pending', 'processing')`),
    foreignKey({
      name: 'kb_evaluation_runs_evaluation',
      columns: [table.organizationId, table.kbId, table.evaluationId],
      foreignColumns: [kbEvaluations.organizationId, kbEvaluations.kbId, kbEvaluations.id],
    }).onDelete('cascade'),
  ],
)
