import { sentence } from '#errors'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'
import { checkEndpoint } from './authorization-fetch.ts'

/**
 * Characters allowed in an authorization endpoint. Excludes spaces, control characters, quotes, backslashes and other
 * characters that a shell could interpret when it opens a browser. Also excludes fragments (RFC 6749, 3.1).
 */
const HARMLESS = /^https?:\/\/[A-Za-z0-9\-._~:/?@&=%+,[\]]+$/

/** Checks an authorization endpoint before a browser is sent there. Throws a NetError or an AuthorizationError. */
export function checkBrowserAddress(net: Net, address: string): URL {
  if (!HARMLESS.test(address)) throw new AuthorizationError('invalid', sentence('mcp.authorization_unsafe'))
  return checkEndpoint(net, address)
}
