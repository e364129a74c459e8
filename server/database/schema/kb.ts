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

/** A pgvector column without a fixed dimension: each knowledge base has the dimension of its embedding model. */
const halfvec = customType<{ data: string }>({ dataType: () => 'halfvec' })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** A text column ordered by bytes, so that strings with equal prefixes are adjacent in every database locale. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** How documents are split into chunks. Sizes are in tokens. */
export interface Chunking {
  max_tokens: number
  overlap_tokens: number
}

/** Knowledge bases, with the counters of their search index. */
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
    /** The requested embedding model: `local`, or the name or id of a language model. */
    embeddingModel: text('embedding_model').notNull(),
    /** The model that computes embeddings. Null for the built-in model. */
    embeddingModelId: uuid('embedding_model_id').references(() => llmModels.id),
    /** Incremented when the embedding model changes. Only vectors of the current generation are compared. */
    generation: integer('generation').notNull().default(1),
    /** Dimensions of the current generation's vectors. Null if there are no vectors yet. */
    dimensions: integer('dimensions'),
    /**
     * The mean similarity of unrelated texts under the current generation's embedding model. Search ignores lower
     * similarities.
     */
    floor: real('floor'),
    chunking: jsonb('chunking').$type<Chunking>().notNull(),
    /** The languages of the documents. Search stems a query in each of these languages. */
    languages: text('languages').array().notNull().default(sql`'{}'`),
    /** Incremented by each change that affects search results. */
    indexVersion: integer('index_version').notNull().default(0),
    /** The number that the next chunk receives. Numbers are never reused. */
    nextChunk: integer('next_chunk').notNull().default(1),
    nextSegment: integer('next_segment').notNull().default(1),
    /** The number of existing chunks and the number of words in them, for BM25. */
    chunkCount: integer('chunk_count').notNull().default(0),
    wordCount: bigint('word_count', { mode: 'number' }).notNull().default(0),
    /** The number of deleted chunks that the postings still contain. */
    deadCount: integer('dead_count').notNull().default(0),
    /**
     * True while sources are being read or documents are being indexed. Triggers on kb_sources maintain the value,
     * and queue an event when ingestion ends (migration 0024).
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

/**
 * The owner of a knowledge base's sources, documents and index, and the owner of a source's documents, with the same id.
 * Triggers add them. If the knowledge base or source is deleted, its contents stay until they are deleted in batches.
 */
export const kbContents = pgTable(
  'kb_contents',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** The knowledge base of the source. Null for the contents of a knowledge base. */
    kbId: uuid('kb_id'),
    /** Set by a trigger when the knowledge base or the source is deleted. */
    isAbandoned: boolean('is_abandoned').notNull().default(false),
  },
  (table) => [
    unique('kb_contents_organization').on(table.organizationId, table.id),
    unique('kb_contents_kb').on(table.organizationId, table.kbId, table.id),
    index('kb_contents_abandoned').on(table.kbId).where(sql`${table.isAbandoned}`),
  ],
)

/** Sources of documents. A trigger on kb_documents maintains the document counts. */
export const kbSources = pgTable(
  'kb_sources',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    type: text('type', { enum: ['web', 's3', 'file', 'text'] }).notNull(),
    config: jsonb('config').$type<Record<string, unknown>>().notNull(),
    /** The secrets of the configuration, encrypted and bound to this row's id. */
    secrets: text('secrets'),
    /**
     * `pending`: waits to be read. `reading`: a process is reading the source. `read`: all documents of the source
     * are known.
     */
    status: text('status', { enum: ['pending', 'reading', 'read', 'failed'] }).notNull(),
    error: text('error'),
    /** The server process that is reading the source. */
    claimedBy: uuid('claimed_by'),
    /** The number of the latest reading. A reading that completes deletes the documents that it didn't find. */
    reading: integer('reading').notNull().default(0),
    /** Number of consecutive failed readings. */
    failures: integer('failures').notNull().default(0),
    /** Number of files that were skipped because their type contains no text. */
    skipped: integer('skipped').notNull().default(0),
    /** When the next reading is due. Null if the source is read only on request. */
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
      name: 'kb_sources_contents',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [kbContents.organizationId, kbContents.id],
    }).onDelete('cascade'),
    index('kb_sources_kb_id').on(table.kbId),
    index('kb_sources_due').on(table.nextReadingAt).where(sql`${table.nextReadingAt} is not null`),
    index('kb_sources_unindexed').on(table.kbId).where(sql`${table.documentsPending} > 0`),
  ],
)

/** Formats of extracted text. The format determines how a document is split. */
export const TEXT_KINDS = ['markdown', 'plain', 'pages', 'table'] as const

export const kbDocuments = pgTable(
  'kb_documents',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    sourceId: uuid('source_id').notNull(),
    /** Identifies the document within its source: a URL, an object key or an upload's id. */
    key: text('key').notNull(),
    name: text('name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Metadata from the source. Search filters use it. */
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull(),
    /** `pending`: waits to be indexed. `processing`: a process is indexing the document. */
    status: text('status', { enum: ['pending', 'processing', 'ready', 'failed'] }).notNull(),
    error: text('error'),
    claimedBy: uuid('claimed_by'),
    /** Number of consecutive failed attempts to index the document. */
    failures: integer('failures').notNull().default(0),
    /** The earliest time of the next attempt. */
    notBefore: moment('not_before'),
    /** A value such as an ETag. It shows whether the document has changed, without downloading the document. */
    fingerprint: text('fingerprint'),
    /** SHA-256 of the extracted text. Null if the document has no text. */
    contentHash: text('content_hash'),
    textKind: text('text_kind', { enum: TEXT_KINDS }),
    textBytes: integer('text_bytes').notNull().default(0),
    /** Bytes of the text, as counted in `organizations.stored_bytes`. */
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    /** The number of the last reading that found the document. */
    foundBy: integer('found_by').notNull(),
    /** The number of the document's first chunk. The other chunks of the document have the following numbers. */
    firstChunk: integer('first_chunk').notNull().default(0),
    chunkCount: integer('chunk_count').notNull().default(0),
    wordCount: integer('word_count').notNull().default(0),
    /** The version of the words in the document's postings (WORDS_VERSION in platform/retrieval). */
    wordsVersion: integer('words_version').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('kb_documents_kb_document').on(table.organizationId, table.kbId, table.id),
    unique('kb_documents_key').on(table.sourceId, table.key),
    foreignKey({
      name: 'kb_documents_contents',
      columns: [table.organizationId, table.kbId, table.sourceId],
      foreignColumns: [kbContents.organizationId, kbContents.kbId, kbContents.id],
    }).onDelete('cascade'),
    index('kb_documents_list').on(table.kbId, table.id),
    index('kb_documents_open')
      .on(table.kbId, table.id)
      .where(sql`${table.status} in ('pending', 'processing')`),
    index('kb_documents_outdated') // A higher WORDS_VERSION needs a new index.
      .on(table.kbId, table.id)
      .where(sql`${table.wordsVersion} < 1 and ${table.status} = 'ready'`),
  ],
)

/** The extracted text of documents, kept to split it again when settings change. Texts may be long. */
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

/** Chunks of documents. A chunk is the unit of search. */
export const kbChunks = pgTable(
  'kb_chunks',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    /** The number of the chunk, unique within the knowledge base. */
    number: integer('number').notNull(),
    documentId: uuid('document_id').notNull(),
    /** The index of the chunk within the document, from 0. */
    position: integer('position').notNull(),
    page: integer('page'),
    tokens: integer('tokens').notNull(),
    /** Number of words, as counted for BM25. */
    words: integer('words').notNull(),
    /** Search skips disabled chunks. */
    isEnabled: boolean('is_enabled').notNull().default(true),
    /** True if a user has edited the text. */
    isEdited: boolean('is_edited').notNull().default(false),
    language: text('language').notNull(),
    headings: text('headings').array().notNull(),
    content: text('content').notNull(),
  },
  (table) => [
    unique('kb_chunks_number').on(table.kbId, table.number),
    // Starts with columns of the foreign key, because deleting documents deletes their chunks.
    index('kb_chunks_document').on(table.kbId, table.documentId, table.position),
    foreignKey({
      name: 'kb_chunks_document_id',
      columns: [table.organizationId, table.kbId, table.documentId],
      foreignColumns: [kbDocuments.organizationId, kbDocuments.kbId, kbDocuments.id],
    }).onDelete('cascade'),
  ],
)

/**
 * The vectors of chunks. A search scans all vectors of a knowledge base, so rows contain little else. There is no
 * foreign key to the chunk, because inserting a vector would lock the chunk. A trigger deletes the vectors of deleted
 * chunks.
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
 * For each term, the chunks that contain it (platform/retrieval/postings.ts). Each batch of documents writes one
 * segment, and segments are merged later. There are too many rows for a foreign key, so a trigger deletes the
 * postings of deleted contents.
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

/** Segments of the postings. Small segments are merged into larger ones. */
export const kbSegments = pgTable(
  'kb_segments',
  {
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    segment: integer('segment').notNull(),
    /** The number of chunks that the segment contained when it was written. */
    chunks: integer('chunks').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kbId, table.segment] }),
    foreignKey({
      name: 'kb_segments_contents',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [kbContents.organizationId, kbContents.id],
    }).onDelete('cascade'),
  ],
)
