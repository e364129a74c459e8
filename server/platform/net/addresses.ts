import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether an address is one that everybody can reach: public IPv4, or IPv6 global unicast (2000::/3) that is no
 * tunnel and no special block. An IPv4 address in IPv6 spelling (::ffff:10.0.0.1) is the IPv4 address.
 * Sources: the special-purpose address registries of IANA (RFC 6890), which `ipaddr.js` knows as ranges.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST)
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** A check against a list of blocks such as 10.0.0.0/8; a single address stands for itself. */
export function createBlockList(blocks: readonly string[]): (address: string) => boolean {
  const parsed = blocks.map((block) =>
    block.includes('/')
      ? ipaddr.parseCIDR(block)
      : ipaddr.parseCIDR(`${block}/${isIP(block) === 6 ? 128 : 32}`),
  )
  return (address) => {
    const candidate = ipaddr.process(address)
    return parsed.some((block) => block[0].kind() === candidate.kind() && candidate.match(block as never))
  }
}

/** An IPv6 customer has at least a /64 (RFC 6177) and can send each request from another address in it. */
const IPV6_NETWORK_WORDS = 4

/**
 * Returns the network that limits count an address under: the IPv4 address itself, in any spelling, or the IPv6 /64.
 * Everything that is no IP address counts as one network, `unknown`.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const words = (parsed as ipaddr.IPv6).parts.slice(0, IPV6_NETWORK_WORDS)
  return `${words.map((word) => word.toString(16)).join(':')}::/64`
}
