import { errorOf, networkError, ParleyError } from './error.ts'

/** Where access tokens come from. API keys are tokens that never change. */
export interface TokenSource {
  /** Returns a token to send, or null to send none. Throws if a token exists but cannot be had now. */
  token(): Promise<string | null>
  /** Returns another token after the server has refused one with 401, or null if there is no other. */
  renew(refused: string): Promise<string | null>
}

export interface TransportOptions {
  /** Such as `https://parley.example.com`. In a page of the server itself it can be left out. */
  baseUrl?: string | undefined
  /** An API key, or a source of access tokens. */
  auth?: string | TokenSource | undefined
  /** Instead of the global `fetch`, to log requests or to send them through a proxy. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How long the server may take until it begins to answer. Unlimited by default. */
  answerTimeoutMs?: number | undefined
}

/**
 * Sends a request with the token added, and with a new token if the server refuses the first one. Returns answers with
 * a status of 2xx. Throws a ParleyError for every other one and for none, or the reason of the signal.
 */
export type Transport = (path: string, init?: RequestInit) => Promise<Response>

export function createTransport({
  baseUrl = '',
  auth,
  fetch: send,
  answerTimeoutMs,
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
      throw error instanceof ParleyError ? error : networkError(error)
    }
  }
}

async function accept(answer: Response): Promise<Response> {
  if (answer.ok) return answer
  throw await errorOf(answer)
}

/** Gives up after `ms` without an answer. The signal still ends the body of the answer. */
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
