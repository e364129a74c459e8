import { errorOf, networkError, ParleyError } from './error.ts'

/** Provides access tokens. */
export interface TokenSource {
  /** Returns the token to send, or null to send none. Throws if a token exists but is currently unavailable. */
  token(): Promise<string | null>
  /** Called after the server rejected a token with status 401. Returns a new token, or null if there is none. */
  renew(refused: string): Promise<string | null>
}

export interface TransportOptions {
  /** The server's URL, for example `https://parley.example.com`. Pages of the server itself can omit it. */
  baseUrl?: string | undefined
  /** An API key, or a TokenSource. */
  auth?: string | TokenSource | undefined
  /** Replaces the global `fetch`, for example to log requests or to use a proxy. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Maximum time until the response begins, in milliseconds. Unlimited by default. */
  answerTimeoutMs?: number | undefined
  /** Called when no response arrives, unless the signal has aborted. */
  onUnreachable?: (() => void) | undefined
}

/**
 * Sends a request with a token. If the server responds with 401, sends the request a second time with a new token.
 * Returns responses with a 2xx status.
 *
 * Throws a ParleyError for any other status or if no response arrives. If the signal aborts, throws the signal's
 * reason.
 */
export type Transport = (path: string, init?: RequestInit) => Promise<Response>

export function createTransport({
  baseUrl = '',
  auth,
  fetch: send,
  answerTimeoutMs,
  onUnreachable,
}: TransportOptions): Transport {
  const origin = baseUrl.replace(/\/+$/, '')
  const ask = send ?? ((url: string, init: RequestInit) => fetch(url, init))
  return async (path, init = {}) => {
    const attempt = (token: string | null): Promise<Response> => {
      const headers = new Headers(init.headers)
      if (token !== null) headers.set('authorization', `Bearer ${token}`)
      return withinTime(answerTimeoutMs, init.signal, (signal) =>
        ask(origin + path, { ...init, headers, ...(signal && { signal }) }),
      )
    }
    try {
      const token = typeof auth === 'object' ? await auth.token() : (auth ?? null)
      const answer = await attempt(token)
      if (answer.status !== 401 || token === null || typeof auth !== 'object') return await accept(answer)
      const renewed = await auth.renew(token)
      return await accept(renewed === null ? answer : await attempt(renewed))
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason
      if (error instanceof ParleyError) throw error
      onUnreachable?.()
      throw networkError(error)
    }
  }
}

async function accept(answer: Response): Promise<Response> {
  if (answer.ok) return answer
  throw await errorOf(answer)
}

/**
 * Aborts a request if no response begins within `ms` milliseconds. The given signal can abort the response body, too.
 */
async function withinTime(
  ms: number | undefined,
  signal: AbortSignal | null | undefined,
  work: (signal?: AbortSignal | null) => Promise<Response>,
): Promise<Response> {
  if (ms === undefined) return work(signal)
  const control = new AbortController()
  const giveUp = (): void => control.abort(signal?.reason)
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  const clock = setTimeout(giveUp, ms)
  try {
    return await work(control.signal)
  } finally {
    clearTimeout(clock)
  }
}
