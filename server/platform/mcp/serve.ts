import type { Logger } from 'pino'
import type { FetchHandler } from '../http/answer-by-fetch.ts'
import type { McpServerDefinition } from './server-definition.ts'

/**
 * Serves MCP over Streamable HTTP, for clients of 2026-07-28 and all earlier protocols. The server is stateless: any
 * process can respond to any request.
 *
 * Older clients cancel a call with a separate request. Cancellation works only if this request reaches the same
 * process. The client's session id serves only to find the call to cancel.
 */
export class McpHttpServer {
  readonly #log: Pick<Logger, 'error' | 'debug'>
  readonly #cancellable = new Map<string, AbortController>()

  constructor(log: Pick<Logger, 'error' | 'debug'>) {
    this.#log = log
  }

  /**
   * Returns the handler for requests to this definition. Imports the SDK on first use, because it is slow to load.
   */
  handler(definition: McpServerDefinition): FetchHandler {
    const state = { log: this.#log, cancellable: this.#cancellable }
    return async (request, body) => {
      const { answerRequest } = await import('./answer-request.ts')
      return answerRequest(state, definition, request, body)
    }
  }
}
