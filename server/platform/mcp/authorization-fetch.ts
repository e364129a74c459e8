import type { FetchLike } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { exchangeOnce } from '#platform/net/fetch-bounded.ts'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'

const ADDRESS_CHARACTERS_MAX = 2_000
const ANSWER_BYTES_MAX = 1_000_000
const STATUSES_WITHOUT_BODY = [204, 205, 304]
const STATUSES_TO_TRY_AGAIN = [408, 425, 429]

/**
 * The `fetch` that the SDK's functions are given: over the guard, bounded, by https, and without redirects, of which
 * the SDK follows those that stay at their origin. What answers a GET with no JSON object has nothing there.
 */
export const createAuthorizationFetch =
  (net: Net, signal: AbortSignal): FetchLike =>
  async (address, init = {}) => {
    const url = checkEndpoint(net, String(address))
    const { method = 'GET', body } = init
    const answer = await exchangeOnce(net, url.href, {
      method: method as 'GET' | 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'user-agent': 'Parley' },
      content: body === undefined || body === null ? null : Buffer.from(String(body)),
      isWanted: () => true,
      bytesMax: ANSWER_BYTES_MAX,
      signal,
    })
    // A Response takes no others.
    const status = Math.min(answer.status, 599)
    if (method !== 'GET' && (status >= 500 || STATUSES_TO_TRY_AGAIN.includes(status)))
      throw new AuthorizationError(
        'unreachable',
        sentence('mcp.authorization_status', { host: url.host, status }),
      )
    const location = answer.headers['location']
    const object = readObject(answer.body)
    if (method === 'GET' && status < 300 && object === null) return new Response('', { status: 404 })
    const response = new Response(STATUSES_WITHOUT_BODY.includes(status) ? null : answer.body.toString(), {
      status,
      headers: location === undefined ? {} : { location: String(location) },
    })
    return object === null ? response : Object.assign(response, { json: async () => object })
  }

/**
 * An address where secrets go: https, or http on this machine where the guard allows that (in tests). Throws a NetError
 * or an AuthorizationError.
 */
export function checkEndpoint(net: Net, address: string): URL {
  if (address.length > ADDRESS_CHARACTERS_MAX)
    throw new AuthorizationError('invalid', sentence('mcp.authorization_address'))
  const url = net.checkUrl(address)
  if (url.protocol === 'https:') return url
  if (!isLoopback(url.hostname))
    throw new AuthorizationError('invalid', sentence('mcp.authorization_https', { host: url.host }))
  // A name is not resolved here: it stands for this address.
  net.checkUrl('http://127.0.0.1/')
  return url
}

const isLoopback = (host: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(host) || host.endsWith('.localhost')

/** Its members that are null are left out: servers say so for what is not there, and the schemas want it absent. */
function readObject(body: Buffer): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
