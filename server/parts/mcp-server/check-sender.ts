import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { fail } from '#errors'
import type { Rooms } from '#platform/rooms.ts'

/**
 * Refuses pages of others, and names that somebody has made to stand for this machine (transports, security warning).
 * A name without a dot, or an address, is nobody's to rebind; without Origin it is no page that asks. Throws
 * mcp.sender_refused.
 */
export function checkSender(
  { baseUrl, frontendUrl, corsOrigins }: Rooms['config'],
  { origin, host = '' }: IncomingHttpHeaders,
): void {
  const known = [baseUrl, frontendUrl].map((address) => new URL(address))
  const origins = [...known.map((url) => url.origin), ...corsOrigins]
  if (origin !== undefined && !origins.includes(origin)) throw fail('mcp.sender_refused', { name: 'Origin' })
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  const isSafe = isIP(name.replace(/^\[|\]$/g, '')) !== 0 || (name !== '' && !name.includes('.'))
  if (!isSafe && !known.some((url) => url.hostname === name))
    throw fail('mcp.sender_refused', { name: 'Host' })
}
