import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '#config'
import { createBlockList } from '#platform/net/addresses.ts'

/** The IP address of the other end of a request. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * The socket's address, whatever a request says of itself. Where proxies are trusted, each names in X-Forwarded-For
 * whom it was asked by, the last one at the end: then it is the last address that is no trusted proxy's, or of which
 * its proxy has said nothing that is an address. Fastify's own answer knows nothing of requests that it can not route.
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

/** The last so many hops, or the proxies in these blocks (contract, 12). */
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

/** Some proxies name the port too: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop

/** Which interface a link-local address was heard at (`fe80::1%br-1`) means something on this machine only (RFC 4007, 11). */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? ''
