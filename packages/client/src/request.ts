import { Backoff } from './backoff.ts'
import { ParleyError } from './error.ts'
import type { CallOptions } from './operations.ts'
import { randomKey } from './random-key.ts'
import type { Transport } from './transport.ts'

/** The number of retries if no response arrives. */
const RETRIES_MAX = 1

interface UntypedInput extends CallOptions {
  query?: object | undefined
  body?: unknown
}

/** Returns an operation's path with its query string. Omits undefined and null values. */
export function addressOf(path: string, query: object = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(
    entries.map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString()
  return text === '' ? path : `${path}?${text}`
}

/** Returns the path and the fetch options of an operation. Adds an idempotency key to a POST request. */
export function requestOf(
  operation: string,
  { query, body, signal, keepalive, idempotencyKey = randomKey() }: UntypedInput,
): [path: string, init: RequestInit] {
  const [method = '', path = ''] = operation.split(' ')
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(method === 'POST' && idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
  }
  const init = {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(keepalive && { keepalive }),
    ...(signal && { signal }),
  }
  return [addressOf(path, query), init]
}

/**
 * Sends a request. If no response arrives and a repeat is safe, sends the request a second time. A repeat is safe for
 * GET, DELETE, and POST with an idempotency key. A repeated PUT could overwrite a change made in between.
 */
export async function sendSafely(transport: Transport, path: string, init: RequestInit): Promise<Response> {
  const backoff = new Backoff(RETRIES_MAX)
  for (let isRetry = false; ; isRetry = true)
    try {
      return await transport(path, init)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      // The first request deleted the resource, but its response was lost.
      if (isRetry && init.method === 'DELETE' && error.status === 404) return deleted()
      if (error.status !== 0 || !isRepeatable(init) || !(await backoff.wait(init.signal))) throw error
    }
}

const isRepeatable = ({ method = 'GET', headers }: RequestInit): boolean =>
  method === 'GET' || method === 'DELETE' || new Headers(headers).has('idempotency-key')

/** Returns the response of a successful DELETE operation. */
const deleted = (): Response => Response.json({ message: 'Deleted' })
