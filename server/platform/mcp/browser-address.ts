import { sentence } from '#errors'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'
import { checkEndpoint } from './authorization-fetch.ts'

/**
 * Characters allowed in an authorization endpoint. Spaces, control characters, quotes, backslashes and other
 * characters that a shell could interpret are excluded, because a shell may open the browser. Fragments are excluded
 * by RFC 6749, 3.1.
 */
const HARMLESS = /^https?:\/\/[A-Za-z0-9\-._~:/?@&=%+,[\]]+$/

/**
 * Checks an authorization endpoint before redirecting a browser to it. Throws a NetError or an AuthorizationError.
 */
export function checkBrowserAddress(net: Net, address: string): URL {
  if (!HARMLESS.test(address)) throw new AuthorizationError('invalid', sentence('mcp.authorization_unsafe'))
  return checkEndpoint(net, address)
}
