import { AsyncLocalStorage } from 'node:async_hooks'
import { sentence } from '#errors'
import { McpError, tooLarge } from './mcp-error.ts'

/** What a server may send for one call, however many answers and events it comes in. */
const CALL_BYTES_MAX = 16 * 1024 * 1024
/** Requests of one call: the pages of a list, second tries, redirects, and streams that are taken up again. */
const CALL_REQUESTS_MAX = 200

/**
 * One thing that is asked of a server. The SDK's requests for it find it as `currentCall()`, so that what they take is
 * bounded together, and ends with it.
 */
export class Call {
  /** Aborted when nobody waits any more: the SDK tells the server. */
  readonly left: AbortSignal
  /** Aborted with the call, whatever its end: what the server still sends for it is cut. */
  readonly ended: AbortSignal
  /** The id of the request whose answer is still to come. */
  awaited: string | number | null = null
  /** Whether the server answers by a stream, which may hold the answer yet. */
  isStreaming = false
  /** How the last stream broke, which may be taken up again. */
  break: McpError | undefined
  readonly #left = new AbortController()
  readonly #ended = new AbortController()
  readonly #reject: (reason: unknown) => void
  #bytes = 0
  #requests = 0

  constructor(reject: (reason: unknown) => void) {
    this.#reject = reject
    this.left = this.#left.signal
    this.ended = this.#ended.signal
  }

  /** Counts what has arrived, and throws beyond the bound. */
  take(host: string, bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > CALL_BYTES_MAX) throw tooLarge(host, CALL_BYTES_MAX)
  }

  countRequest(host: string): void {
    this.#requests++
    if (this.#requests > CALL_REQUESTS_MAX)
      throw new McpError('protocol', sentence('mcp.too_many_requests', { host, limit: CALL_REQUESTS_MAX }))
  }

  /** Ends the call at once, whatever the SDK makes of it. */
  fail(reason: unknown): void {
    if (this.#ended.signal.aborted) return
    this.#reject(reason)
    // What the SDK sends now is no longer of this call: it would end before it is sent.
    calls.exit(() => this.#left.abort(NOBODY_WAITS))
    this.end()
  }

  end(): void {
    this.#ended.abort(NOBODY_WAITS)
  }
}

const NOBODY_WAITS = new Error('Nobody waits for the answer')

const calls = new AsyncLocalStorage<Call>()

export const currentCall = (): Call | undefined => calls.getStore()

/**
 * Runs what asks a server for something. Rejects at once with the signal's reason, and with what `late` makes when the
 * time is over; what the server sends after that is cut.
 */
export function runCall<Result>(
  bounds: { signal: AbortSignal; timeoutMs: number; late: () => Error; running?: Set<Call> },
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  const { signal, timeoutMs, late, running } = bounds
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const call = new Call(reject)
    const onAbort = (): void => call.fail(signal.reason)
    const timer = setTimeout(() => call.fail(late()), timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    running?.add(call)
    calls
      .run(call, () => work(call))
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        running?.delete(call)
        call.end()
      })
  })
}
