export interface PlaygroundSearch {
  /** Ids of the connections whose tools the model gets. None: it recommends servers. */
  with?: string[]
  /** Default: the server chooses a model. */
  model?: string
}

/** The API's limit per message. */
export const CONNECTIONS_MAX = 20
