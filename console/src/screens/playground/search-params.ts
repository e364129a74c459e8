export interface PlaygroundSearch {
  /** Ids of the connections whose tools the model has. None: it finds servers. */
  with?: string[]
  /** What the model is called. Default: the server chooses. */
  model?: string
}

/** As many as a message may come with. */
export const CONNECTIONS_MAX = 20
