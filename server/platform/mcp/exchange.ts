import type { Server, ServerContext } from '@modelcontextprotocol/server'
import { rejectOnAbort } from './reject-on-abort.ts'

/** Timeout of a tool call or another request, in milliseconds. */
export const ANSWER_MS_MAX = 5 * 60_000
/** The session header of protocol versions before 2026-07-28. */
export const SESSION_HEADER = 'mcp-session-id'
const SESSION_CHARACTERS_MAX = 64
const ID_CHARACTERS_MAX = 64
/**
 * Maximum number of running calls that a cancellation request can find. Further calls end only with their connection.
 */
const CANCELLABLE_MAX = 10_000

/** One HTTP request of a client. Runs the calls that the request starts, and cancels calls by request id. */
export class Exchange {
  readonly #cancellable: Map<string, AbortController>
  /**
   * Prefix of the keys of this client's calls. Null for a client without a session, which can cancel only by
   * disconnecting.
   */
  readonly #prefix: string | null
  readonly #isBatch: boolean

  constructor(cancellable: Map<string, AbortController>, offerKey: string, request: Request, body: unknown) {
    this.#cancellable = cancellable
    const session = request.headers.get(SESSION_HEADER) ?? ''
    const isNamed = session !== '' && session.length <= SESSION_CHARACTERS_MAX
    this.#prefix = isNamed ? `${offerKey}\n${session}\n` : null
    this.#isBatch = Array.isArray(body)
  }

  /** Runs `work` with a signal that aborts on cancellation, disconnection or timeout. */
  async attempt<T>(
    server: Server,
    { mcpReq }: ServerContext,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const cancelled = new AbortController()
    const key = this.#keyOf(mcpReq.id)
    const isListed = key !== null && this.#cancellable.size < CANCELLABLE_MAX && !this.#cancellable.has(key)
    if (isListed) this.#cancellable.set(key, cancelled)
    // A cancelled request gets no response (MCP spec, "Cancellation"). Close the connection, unless the request
    // belongs to a batch.
    if (!this.#isBatch) cancelled.signal.addEventListener('abort', () => void server.close())
    const signals = [mcpReq.signal, cancelled.signal, AbortSignal.timeout(ANSWER_MS_MAX)]
    try {
      const signal = AbortSignal.any(signals)
      signal.throwIfAborted()
      return await rejectOnAbort(work(signal), signal)
    } finally {
      if (isListed) this.#cancellable.delete(key)
    }
  }

  cancel(id: string | number | undefined): void {
    const key = id === undefined ? null : this.#keyOf(id)
    if (key !== null) this.#cancellable.get(key)?.abort()
  }

  #keyOf(id: string | number): string | null {
    if (this.#prefix === null || String(id).length > ID_CHARACTERS_MAX) return null
    return `${this.#prefix}${JSON.stringify(id)}`
  }
}
