import type { Logger } from 'pino'
import type { FetchHandler } from '../http/answer-by-fetch.ts'
import type { McpServerDefinition } from './server-definition.ts'

/**
 * Serves MCP over Streamable HTTP, to clients of 2026-07-28 and of all earlier protocols, statelessly: any process
 * answers any request. Older clients cancel by another request, which is heeded where it reaches the same process; what
 * it cancels is found by a name that the client is given for its session, and that stands for nothing else.
 */
export class McpHttpServer {
  readonly #log: Pick<Logger, 'error' | 'debug'>
  readonly #cancellable = new Map<string, AbortController>()

  constructor(log: Pick<Logger, 'error' | 'debug'>) {
    this.#log = log
  }

  /** Answers one request, by whatever its sender is offered. The SDK, which takes long to load, comes with the first. */
  handler(definition: McpServerDefinition): FetchHandler {
    const state = { log: this.#log, cancellable: this.#cancellable }
    return async (request, body) => {
      const { answerRequest } = await import('./answer-request.ts')
      return answerRequest(state, definition, request, body)
    }
  }
}
