/** What a search is asked with; nothing is what the server takes then. */
export interface SearchParams {
  mode?: 'ask'
  q?: string
  limit?: number
  /** Leaves out what scores less. */
  least?: number
  /** What the metadata of documents has to say (server: kb, search-schemas). */
  filter?: Record<string, unknown>
  /** The id of a model. */
  rerank?: string
  /** The id of the model that answers. */
  model?: string
}
