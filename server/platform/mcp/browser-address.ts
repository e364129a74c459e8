import { sentence } from '#errors'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'
import { checkEndpoint } from './authorization-fetch.ts'

/**
 * What an authorization endpoint is made of: no space, control character, quote, backslash, or anything else by which
 * a shell that opens a browser would be told more than an address; and no fragment (RFC 6749, 3.1).
 */
const HARMLESS = /^https?:\/\/[A-Za-z0-9\-._~:/?@&=%+,[\]]+$/

/** The address of an authorization endpoint that a person's browser is sent to. Throws a NetError or an AuthorizationError. */
export function checkBrowserAddress(net: Net, address: string): URL {
  if (!HARMLESS.test(address)) throw new AuthorizationError('invalid', sentence('mcp.authorization_unsafe'))
  return checkEndpoint(net, address)
}
