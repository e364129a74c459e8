import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '#config'
import { fail } from '#errors'

type Site = Pick<Config, 'baseUrl' | 'frontendUrl' | 'corsOrigins'>

/**
 * Rejects requests that a browser sends from a foreign page (MCP transports, "Security Warning"). A request without
 * an Origin header doesn't come from a page. Throws mcp.sender_refused.
 */
export function checkOrigin(site: Site, { origin }: IncomingHttpHeaders): void {
  const origins = [...addressesOf(site).map((url) => url.origin), ...site.corsOrigins]
  if (origin !== undefined && !origins.includes(origin)) throw fail('mcp.sender_refused', { name: 'Origin' })
}

/**
 * Rejects requests with a foreign Origin, or with an unknown host name, to prevent DNS rebinding. Host names without
 * a dot and IP addresses cannot be rebound. For secret URLs, `checkOrigin` is enough.
 */
export function checkSender(site: Site, headers: IncomingHttpHeaders): void {
  checkOrigin(site, headers)
  const name = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? ''
  const isSafe = isIP(name.replace(/^\[|\]$/g, '')) !== 0 || (name !== '' && !name.includes('.'))
  if (!isSafe && !addressesOf(site).some((url) => url.hostname === name))
    throw fail('mcp.sender_refused', { name: 'Host' })
}

const addressesOf = ({ baseUrl, frontendUrl }: Site): URL[] =>
  [baseUrl, frontendUrl].map((address) => new URL(address))
