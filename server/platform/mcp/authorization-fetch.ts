import type { FetchLike } from '@modelcontextprotocol/client'
import { quote, sentence } from '#errors'
import { exchangeOnce } from '#platform/net/fetch-bounded.ts'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'

/** @limit endpoint of an authorization server */
const ADDRESS_CHARACTERS_MAX = 2_000
const ANSWER_BYTES_MAX = 1_000_000
const STATUSES_WITHOUT_BODY = [204, 205, 304]
const STATUSES_TO_TRY_AGAIN = [408, 425, 429]

/**
 * Creates the `fetch` for the SDK's functions. It uses the network guard, limits sizes, requires https, and doesn't
 * follow redirects. (The SDK's default fetch would follow same-origin redirects.) Returns 404 for a successful GET
 * whose body is not a JSON object.
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
      readsBody: () => true,
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
    const isForTokens = body instanceof URLSearchParams
    const form = isForTokens ? readForm(answer.body) : null
    const read = readObject(answer.body) ?? form
    const object = isForTokens && read !== null && 'access_token' in read ? withoutOddities(read) : read
    if (method === 'GET' && status < 300 && object === null) return new Response('', { status: 404 })
    const response = new Response(STATUSES_WITHOUT_BODY.includes(status) ? null : textOf(answer.body, form), {
      status,
      headers: location === undefined ? {} : { location: String(location) },
    })
    return object === null ? response : Object.assign(response, { json: async () => object })
  }

/**
 * Checks a URL that receives secrets. The URL must use https, or http to localhost if the guard allows loopback
 * addresses, as in tests. Throws a NetError or an AuthorizationError.
 */
export function checkEndpoint(net: Net, address: string): URL {
  if (address.length > ADDRESS_CHARACTERS_MAX)
    throw new AuthorizationError(
      'invalid',
      sentence('mcp.authorization_address', { address: quote(address), limit: ADDRESS_CHARACTERS_MAX }),
    )
  const url = net.checkUrl(address)
  if (url.protocol === 'https:') return url
  if (!isLoopback(url.hostname))
    throw new AuthorizationError('invalid', sentence('mcp.authorization_https', { host: url.host }))
  // The guard doesn't resolve loopback host names here, so check the loopback address instead.
  net.checkUrl('http://127.0.0.1/')
  return url
}

const isLoopback = (host: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(host) || host.endsWith('.localhost')

const textOf = (body: Buffer, form: object | null): string =>
  form === null ? body.toString() : JSON.stringify(form)

/**
 * Parses a token response that is form-encoded, as GitHub sends it. Returns null if the body is not such a response.
 */
function readForm(body: Buffer): Record<string, unknown> | null {
  const text = body.toString().trim()
  if (!/^[\w-]+=[^<>{}\s]*$/.test(text)) return null
  const fields = Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''))
  return 'access_token' in fields || 'error' in fields ? fields : null
}

/**
 * Parses a JSON object and drops its null members. Servers send null for absent values, but the SDK's schemas reject
 * null. Returns null if the body is not a JSON object.
 */
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

/**
 * Returns a token response as RFC 6749, 5.1, demands it. Some servers leave out the type, which is then that of a Bearer
 * token, list the scopes, or send an empty token.
 */
function withoutOddities(response: Record<string, unknown>): Record<string, unknown> {
  const { token_type: type = '', scope, ...rest } = response
  const isBlank = typeof type === 'string' && type.trim() === ''
  const others = Object.entries(rest).filter(
    ([name, value]) => !OPTIONAL_TEXTS.includes(name) || (typeof value === 'string' && value !== ''),
  )
  return {
    ...Object.fromEntries(others),
    token_type: isBlank ? 'Bearer' : typeof type === 'string' ? type.trim() : type,
    ...(scope !== undefined && { scope: Array.isArray(scope) ? scope.join(' ') : scope }),
  }
}

const OPTIONAL_TEXTS = ['refresh_token', 'id_token']
