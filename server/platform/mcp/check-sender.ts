import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '#config'
import { fail } from '#errors'

type Site = Pick<Config, 'baseUrl' | 'frontendUrl' | 'corsOrigins'>

/**
 * Refuses what a page of somebody else's has a browser send (transports, security warning); without Origin it is no page
 * that asks. Throws mcp.sender_refused.
 */
export function checkOrigin(site: Site, { origin }: IncomingHttpHeaders): void {
  const origins = [...addressesOf(site).map((url) => url.origin), ...site.corsOrigins]
  if (origin !== undefined && !origins.includes(origin)) throw fail('mcp.sender_refused', { name: 'Origin' })
}

/**
 * The same, and refuses names that somebody has made to stand for this machine (DNS rebinding). A name without a dot, or
 * an address, is nobody's to rebind. For addresses that are secret in themselves the origin is enough.
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
