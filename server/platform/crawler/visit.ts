import { setTimeout as sleep } from 'node:timers/promises'
import { parseRetryAfter } from '../net/exchange-bounds.ts'
import { type BoundedAnswer, type BoundedRequest, fetchBounded } from '../net/fetch-bounded.ts'
import type { Net } from '../net/index.ts'

/** Requests pages of a website at a limited rate. */
export interface Visitor {
  /**
   * Calls `fetchBounded`. If the server responds with 429 or 503, retries once after Retry-After, unless the wait
   * exceeds RETRY_AFTER_MAX_MS.
   */
  get(url: string, request: Omit<BoundedRequest, 'timeoutMs'>): Promise<BoundedAnswer>
}

const TIMEOUT_MS = 20_000
/** Minimum milliseconds between the starts of two requests. */
const PAUSE_MS = 100
const RETRY_AFTER_MAX_MS = 30_000

export function createVisitor(net: Net): Visitor {
  let nextAt = 0
  const turn = async (signal: AbortSignal): Promise<void> => {
    const wait = nextAt - performance.now()
    nextAt = Math.max(nextAt, performance.now()) + PAUSE_MS
    if (wait > 0) await sleep(wait, undefined, { signal })
  }
  const getOnce: Visitor['get'] = async (url, request) => {
    await turn(request.signal)
    return fetchBounded(net, url, { ...request, timeoutMs: TIMEOUT_MS })
  }
  return {
    async get(url, request) {
      const answer = await getOnce(url, request)
      if (answer.status !== 429 && answer.status !== 503) return answer
      const waitMs = parseRetryAfter(answer.headers['retry-after'], RETRY_AFTER_MAX_MS)
      if (waitMs === undefined) return answer
      // Delay all requests to the website, not only this request.
      nextAt = Math.max(nextAt, performance.now() + waitMs)
      return getOnce(url, request)
    },
  }
}
