import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '#config'
import { createBlockList } from '#platform/net/addresses.ts'

export type AddressOf = (request: IncomingMessage) => string

/**
 * Creates a function that returns the client's IP address. Without trusted proxies, that is the socket's address,
 * regardless of headers.
 *
 * Each trusted proxy appends an address to X-Forwarded-For: the one that it received the request from. The client's
 * address is therefore the last address that does not belong to a trusted proxy. If a proxy appended no valid
 * address, the proxy's own address is returned.
 *
 * Fastify's own `request.ip` is missing for requests that Fastify cannot route.
 */
export function createAddressOf(trustProxy: Config['trustProxy']): AddressOf {
  if (trustProxy === false) return socketAddress
  const isTrusted = trusting(trustProxy)
  return (request) => {
    const hops = namedHops(request)
    let address = socketAddress(request)
    for (let hop = 0; isTrusted(address, hop); hop++) {
      const next = hops.at(-1 - hop)
      if (next === undefined || isIP(next) === 0) break
      address = next
    }
    return address
  }
}

const socketAddress: AddressOf = ({ socket }) => withoutZone(socket.remoteAddress ?? '')

/** Returns a function that trusts the last N hops, or the proxies in these address blocks. */
function trusting(trustProxy: number | string[]): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy
  const isInBlocks = createBlockList(trustProxy)
  return (address) => isIP(address) !== 0 && isInBlocks(address)
}

const namedHops = ({ headers }: IncomingMessage): string[] =>
  [headers['x-forwarded-for'] ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((hop) => withoutZone(withoutPort(hop.trim())))

/** Removes the port that some proxies append: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop

/**
 * Removes the zone of a link-local address (`fe80::1%br-1`). A zone is meaningful only on this machine (RFC 4007,
 * 11).
 */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? ''
