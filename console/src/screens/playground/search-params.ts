export interface PlaygroundSearch {
  /** The ids of the connections whose tools the model may call. If omitted, the model recommends servers. */
  with?: string[]
  /** The model's name. By default, the server chooses a model. */
  model?: string
}

/** Maximum number of connections per message, as in the API. */
export const CONNECTIONS_MAX = 20
