/** The search in the URL. The server has defaults for missing options. */
export interface SearchParams {
  mode?: 'ask'
  q?: string
  limit?: number
  /** The minimum score. */
  least?: number
  /** A metadata filter (server/parts/kb/search-schemas.ts). */
  filter?: Record<string, unknown>
  /** The id of a model. */
  rerank?: string
  /** The id of the model that answers. */
  model?: string
}
