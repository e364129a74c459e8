import type { KnowledgeQuery } from '#platform/retrieval/parse-query.ts'
import type { Stemmer } from '#platform/retrieval/stems.ts'
import { findByWords } from './lexical-stage.ts'
import { findNearest } from './nearest-chunks.ts'
import type { SearchRequest } from './retrieve.ts'
import type { SearchedKb, StageHit } from './searched-kbs.ts'

/** The part of a search that the index sees. All statements run in the organization of `sql`. */
export type IndexRequest = Pick<SearchRequest, 'sql' | 'filter'>

/**
 * The index that finds chunks. Retrieval (retrieve.ts) knows only this interface, so a search engine can replace
 * PostgreSQL. Hits are best first, belong to enabled chunks of documents that match the filter, and have scores greater
 * than 0 that are comparable across knowledge bases.
 */
export interface SearchIndex {
  /**
   * Returns up to STAGE_MAX chunks by the words of the query. If `isChecked` is false, may skip the check for disabled and
   * deleted chunks; retrieval then repeats the search with the check if a hit no longer exists.
   */
  findByWords(
    request: IndexRequest,
    kb: SearchedKb,
    query: KnowledgeQuery,
    isChecked: boolean,
  ): Promise<StageHit[]>
  /** Returns up to `count` chunks whose vectors are nearest to `vector`, which has length 1. */
  findNearest(request: IndexRequest, kb: SearchedKb, vector: Float32Array, count: number): Promise<StageHit[]>
}

/** The index in the tables kb_postings and kb_vectors, which write-index.ts fills in the transaction of the documents. */
export const createPostgresIndex = (stemmer: Stemmer): SearchIndex => ({
  findByWords: (request, kb, query, isChecked) => findByWords(stemmer, request, kb, query, isChecked),
  findNearest,
})
