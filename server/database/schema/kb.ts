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

/** Of any number of dimensions: each knowledge base has those of its embedding model. */
const halfvec = customType<{ data: string }>({ dataType: () => 'halfvec' })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Ordered by bytes, so that what begins alike lies together whatever the database's locale. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** How texts are split into chunks; sizes in tokens. */
export interface Chunking {
  max_tokens: number
  overlap_tokens: number
}

/** Knowledge bases, each with what its index is counted by. */
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
    /** `local`, or a language model's name or id, as it was asked for. */
    embeddingModel: text('embedding_model').notNull(),
    /** The language model that makes the vectors; null: the built-in one. */
    embeddingModelId: uuid('embedding_model_id').references(() => llmModels.id),
    /** Vectors of another generation come from another model, and are compared with nothing any more. */
    generation: integer('generation').notNull().default(1),
    /** Numbers in a vector of this generation; null: there is none yet. */
    dimensions: integer('dimensions'),
    /** How similar the model of this generation finds texts that have nothing to do with each other. */
    floor: real('floor'),
    chunking: jsonb('chunking').$type<Chunking>().notNull(),
    /** The languages of its documents, by which questions are stemmed. */
    languages: text('languages').array().notNull().default(sql`'{}'`),
    /** Raised by whatever changes what is found. */
    indexVersion: integer('index_version').notNull().default(0),
    /** The number of the next chunk. No number is given twice. */
    nextChunk: integer('next_chunk').notNull().default(1),
    nextSegment: integer('next_segment').notNull().default(1),
    /** Chunks that are there, and their words: what BM25 counts with. */
    chunkCount: integer('chunk_count').notNull().default(0),
    wordCount: bigint('word_count', { mode: 'number' }).notNull().default(0),
    /** Chunks that are gone and still stand in postings. */
    deadCount: integer('dead_count').notNull().default(0),
    /** Something is to be read or indexed. Kept by triggers on kb_sources, which announce the end of it (0024). */
    isIngesting: boolean('is_ingesting').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('knowledge_bases_organization').on(table.organizationId, table.id),
    uniqueIndex('knowledge_bases_name').on(table.organizationId, sql`lower(${table.name})`),
  ],
)

/** Where documents come from. Its counts of documents are kept by a trigger on kb_documents. */
export const kbSources = pgTable(
  'kb_sources',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    type: text('type', { enum: ['web', 's3', 'file', 'text'] }).notNull(),
    /** Without its secrets. */
    config: jsonb('config').$type<Record<string, unknown>>().notNull(),
    /** Encrypted, bound to this row's id. */
    secrets: text('secrets'),
    /** pending: to be read; reading: being read by a process; read: its documents are known. */
    status: text('status', { enum: ['pending', 'reading', 'read', 'failed'] }).notNull(),
    error: text('error'),
    /** The process that reads it. */
    claimedBy: uuid('claimed_by'),
    /** How often it was begun to be read; documents that a reading does not find any more go. */
    reading: integer('reading').notNull().default(0),
    /** Tries in a row that have failed. */
    failures: integer('failures').notNull().default(0),
    /** Files that hold no text by their kind. */
    skipped: integer('skipped').notNull().default(0),
    /** From when on it is to be read; null: only when asked for. */
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

/** How a text is to be split. */
export const TEXT_KINDS = ['markdown', 'plain', 'pages', 'table'] as const

export const kbDocuments = pgTable(
  'kb_documents',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    sourceId: uuid('source_id').notNull(),
    /** What it is within its source: an address, a key, an upload's id. */
    key: text('key').notNull(),
    name: text('name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** What its source says of it; filters look here. */
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull(),
    /** pending: its text is to be indexed; processing: a process is at it. */
    status: text('status', { enum: ['pending', 'processing', 'ready', 'failed'] }).notNull(),
    error: text('error'),
    claimedBy: uuid('claimed_by'),
    /** Tries in a row that have failed. */
    failures: integer('failures').notNull().default(0),
    /** Not to be tried before. */
    notBefore: moment('not_before'),
    /** What tells without reading it that it has not changed: an ETag. */
    fingerprint: text('fingerprint'),
    /** SHA-256 of its text; null: it has none. */
    contentHash: text('content_hash'),
    textKind: text('text_kind', { enum: TEXT_KINDS }),
    textBytes: integer('text_bytes').notNull().default(0),
    /** The reading of its source that has found it last. */
    foundBy: integer('found_by').notNull(),
    /** Its chunks have the numbers from here on, without a gap. */
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

/** What documents say, to be split anew when settings change; apart, since it may be long. */
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

/** Parts of documents, as they are found and shown. */
export const kbChunks = pgTable(
  'kb_chunks',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    /** Within the knowledge base. */
    number: integer('number').notNull(),
    documentId: uuid('document_id').notNull(),
    /** Within the document: 0, 1, 2, … */
    position: integer('position').notNull(),
    page: integer('page'),
    tokens: integer('tokens').notNull(),
    /** Words in it, as BM25 counts them. */
    words: integer('words').notNull(),
    /** Disabled chunks are never found. */
    isEnabled: boolean('is_enabled').notNull().default(true),
    /** The text was changed by a person. */
    isEdited: boolean('is_edited').notNull().default(false),
    language: text('language').notNull(),
    headings: text('headings').array().notNull(),
    content: text('content').notNull(),
  },
  (table) => [
    unique('kb_chunks_number').on(table.kbId, table.number),
    // By the columns of the foreign key: a knowledge base of many documents is deleted document by document.
    index('kb_chunks_document').on(table.kbId, table.documentId, table.position),
    foreignKey({
      name: 'kb_chunks_document_id',
      columns: [table.organizationId, table.kbId, table.documentId],
      foreignColumns: [kbDocuments.organizationId, kbDocuments.kbId, kbDocuments.id],
    }).onDelete('cascade'),
  ],
)

/**
 * What a chunk is compared by. A search reads all of a knowledge base, so the rows hold nothing else; whether a chunk is
 * enabled stands here too. A trigger removes them with their chunks: a foreign key would lock each chunk once more.
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
 * Which chunks hold a term, by platform/retrieval/postings.ts. A batch of documents writes a segment, and segments are
 * merged. There are too many rows to have each refer to its knowledge base: a trigger removes them with it.
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

/** A segment of the postings; small ones are merged to a larger one. */
export const kbSegments = pgTable(
  'kb_segments',
  {
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    segment: integer('segment').notNull(),
    /** Chunks that it was written for. */
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

/** A question, and the documents that answer it: by their ids, or by names, which last when a source is read again. */
export interface EvaluationQuestion {
  question: string
  document_ids?: string[]
  document_names?: string[]
}

/** What was found for a question of an evaluation. */
export interface QuestionResult {
  question: string
  /** The best first, each with the score of its best chunk. */
  found: { document_id: string; document_name: string; score: number }[]
  /** Of the first right one; null: none was found. */
  first_rank: number | null
  recall_at_k: number
  ndcg_at_10: number
  /** Names and ids of right documents that are not there. */
  missing: string[]
  milliseconds: number
  /** Why only words were looked for, where there was no vector of the question. */
  dense_failure: string | null
  /** Why it could not be searched for; then nothing of it counts. */
  error: string | null
}

/** Questions to measure a knowledge base by. */
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

/** What a knowledge base has found for the questions of an evaluation once, and with which settings. */
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
    /** For each question what was found, in their order, as far as the run has come. */
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
