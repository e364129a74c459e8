import { AsyncLocalStorage } from 'node:async_hooks'
import { sentence } from '#errors'
import { McpError, tooLarge } from './mcp-error.ts'

/**
 * Maximum bytes that a server may send per call, across all responses and events.
 * @limit responses of a server per call
 */
const CALL_BYTES_MAX = 16 * 1024 * 1024
/**
 * Maximum requests per call: list pages, retries, redirects and resumed streams.
 * @limit requests per call to a server
 */
const CALL_REQUESTS_MAX = 200

/**
 * One call to a server. Each SDK request finds its call with `currentCall()`, so that all requests of a call share
 * its limits and end with it.
 */
export class Call {
  /** Aborted when no caller waits for the result. The SDK then notifies the server. */
  readonly left: AbortSignal
  /** Aborted when the call ends for any reason. Data that the server sends afterwards is dropped. */
  readonly ended: AbortSignal
  /** Id of the request whose response is pending. */
  awaited: string | number | null = null
  /** True if the server responds with a stream that may still deliver the result. */
  isStreaming = false
  /** The error that broke the latest stream. The SDK may resume that stream. */
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

  /** Counts received bytes. Throws an McpError beyond the limit. */
  take(host: string, bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > CALL_BYTES_MAX) throw tooLarge(host, CALL_BYTES_MAX)
  }

  countRequest(host: string): void {
    this.#requests++
    if (this.#requests > CALL_REQUESTS_MAX)
      throw new McpError('protocol', sentence('mcp.too_many_requests', { host, limit: CALL_REQUESTS_MAX }))
  }

  /** Rejects the call immediately, regardless of how the SDK handles the error. */
  fail(reason: unknown): void {
    if (this.#ended.signal.aborted) return
    this.#reject(reason)
    // The SDK's cancellation notice must not be aborted together with the call.
    outsideCalls(() => this.#left.abort(ABANDONED))
    this.end()
  }

  end(): void {
    this.#ended.abort(ABANDONED)
  }
}

const ABANDONED = new Error('No caller is waiting for the response')

const calls = new AsyncLocalStorage<Call>()

export const currentCall = (): Call | undefined => calls.getStore()

/** Runs `work` so that its requests belong to no call. */
export const outsideCalls = <Result>(work: () => Result): Result => calls.exit(work)

/**
 * Runs `work` as one call to a server. Rejects immediately with the signal's reason on abort, or with the result of
 * `late` after `timeoutMs`. Data that the server sends afterwards is dropped.
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
