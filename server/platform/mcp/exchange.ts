import type { Server, ServerContext } from '@modelcontextprotocol/server'
import { rejectOnAbort } from './reject-on-abort.ts'

/** How long a tool or another request may take. */
export const ANSWER_MS_MAX = 5 * 60_000
/** The name of a client's session in the older protocols. */
export const SESSION_HEADER = 'mcp-session-id'
const SESSION_CHARACTERS_MAX = 64
const ID_CHARACTERS_MAX = 64
/** Calls under way that can be cancelled by a request of their own; those beyond end only with their connection. */
const CANCELLABLE_MAX = 10_000

/** One request over HTTP, and how what it began is ended. */
export class Exchange {
  readonly #cancellable: Map<string, AbortController>
  /** Null: a client without a session, which can only leave. */
  readonly #prefix: string | null
  readonly #isBatch: boolean

  constructor(cancellable: Map<string, AbortController>, offerKey: string, request: Request, body: unknown) {
    this.#cancellable = cancellable
    const session = request.headers.get(SESSION_HEADER) ?? ''
    const isNamed = session !== '' && session.length <= SESSION_CHARACTERS_MAX
    this.#prefix = isNamed ? `${offerKey}\n${session}\n` : null
    this.#isBatch = Array.isArray(body)
  }

  /** Does the work with a signal that ends with the client's wish, its connection, or the time. */
  async attempt<T>(
    server: Server,
    { mcpReq }: ServerContext,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const cancelled = new AbortController()
    const key = this.#keyOf(mcpReq.id)
    const isListed = key !== null && this.#cancellable.size < CANCELLABLE_MAX && !this.#cancellable.has(key)
    if (isListed) this.#cancellable.set(key, cancelled)
    // What was cancelled is not answered (cancellation); a client that waits for nothing else is let go.
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
