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
 * Creates the `fetch` for the SDK's functions: guarded, size-limited, https only, without redirects. (The SDK's own
 * fetch would follow same-origin redirects.) A GET that succeeds without a JSON object is reported as 404.
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
    // The Response constructor rejects statuses above 599.
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
 * Checks an address that secrets are sent to. It must use https, or http to localhost where the guard allows it (in
 * tests). Throws a NetError or an AuthorizationError.
 */
export function checkEndpoint(net: Net, address: string): URL {
  if (address.length > ADDRESS_CHARACTERS_MAX)
    throw new AuthorizationError('invalid', sentence('mcp.authorization_address'))
  const url = net.checkUrl(address)
  if (url.protocol === 'https:') return url
  if (!isLoopback(url.hostname))
    throw new AuthorizationError('invalid', sentence('mcp.authorization_https', { host: url.host }))
  // A loopback hostname is not resolved here, so check the loopback address instead.
  net.checkUrl('http://127.0.0.1/')
  return url
}

const isLoopback = (host: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(host) || host.endsWith('.localhost')

/** Parses a JSON object and drops null members: servers send null for absent values, which the schemas reject. */
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
