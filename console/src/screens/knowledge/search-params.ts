/** The query and its options in the URL. The server has defaults for omitted options. */
export interface SearchParams {
  mode?: 'ask'
  q?: string
  limit?: number
  /** The minimum score of a result. */
  least?: number
  /** A metadata filter (server/parts/kb/search-schemas.ts). */
  filter?: Record<string, unknown>
  /** The id of the reranking model. */
  rerank?: string
  /** The id of the model that answers. */
  model?: string
}
