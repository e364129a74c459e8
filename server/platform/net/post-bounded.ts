import type { Dispatcher } from 'undici'
import { sentence } from '#errors'
import { connectionSentence, withinTime } from './exchange-bounds.ts'
import { FetchError } from './fetch-bounded.ts'
import { type Net, NetError } from './index.ts'

export interface BoundedPost {
  headers: Record<string, string>
  content: Buffer
  /** Timeout in milliseconds until the status arrives, including name resolution and connecting. */
  timeoutMs: number
  signal: AbortSignal
}

export interface PostAnswer {
  status: number
  headers: Dispatcher.ResponseData['headers']
}

/** Limit for reading a response body, which is read only so that the connection can be reused. */
const BODY_BYTES_MAX = 4 * 1024
const BODY_TIMEOUT_MS = 1_000

/**
 * Sends a POST to a URL given by a tenant. Does not follow redirects or return the response body. Throws a NetError
 * for a forbidden address, a FetchError if there is no response, or the signal's reason.
 */
export async function postBounded(net: Net, address: string, post: BoundedPost): Promise<PostAnswer> {
  const { origin, host, pathname, search } = net.checkUrl(address)
  const { headers, content, timeoutMs } = post
  const tooSlow = (): Error => new FetchError(sentence('net.no_answer', { host, seconds: timeoutMs / 1000 }))
  return withinTime(timeoutMs, tooSlow, post.signal, async (signal) => {
    try {
      const path = pathname + search
      const answer = await net.guarded.request({
        origin,
        path,
        method: 'POST',
        headers,
        body: content,
        signal,
      })
      await forget(answer.body)
      return { status: answer.statusCode, headers: answer.headers }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof NetError) throw error
      throw new FetchError(connectionSentence(host, error), { cause: error })
    }
  })
}

/** Discards a body. If the body is too long, too slow or broken, closes the connection without an error. */
async function forget(body: Dispatcher.ResponseData['body']): Promise<void> {
  const slow = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS)
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) break
    }
  } catch {
  } finally {
    clearTimeout(slow)
  }
}
