import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns whether an address is publicly reachable. Public addresses are public IPv4 addresses, and IPv6 global
 * unicast addresses (2000::/3) outside tunnels and special blocks. An IPv4-mapped address (::ffff:10.0.0.1) counts as
 * IPv4. Source: IANA's special-purpose address registries (RFC 6890), which `ipaddr.js` implements as ranges.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST)
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/**
 * Addresses of cloud services for virtual machines: instance metadata, credentials and wire servers. Includes all
 * link-local IPv4 addresses, because providers place such services there (169.254.169.254, 169.254.170.2,
 * 169.254.0.23).
 */
const CLOUD_SERVICES = [
  '169.254.0.0/16',
  // Azure's wire server, Alibaba Cloud, Oracle Cloud (classic).
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  // IPv6: AWS, Google Cloud, Oracle Cloud, Scaleway, OpenStack.
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fe80::a9fe:a9fe',
]

/**
 * Returns whether an address is a cloud's metadata or wire server. Also recognizes IPv4 addresses that an IPv6
 * address embeds by a transition mechanism.
 */
export function isCloudService(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (isInCloudServices(parsed.toString())) return true
  return parsed.kind() === 'ipv6' && embeddedIpv4(parsed.toByteArray()).some(isInCloudServices)
}

const ISATAP_MARK = [0x5e, 0xfe]

/**
 * Returns the IPv4 addresses that an IPv6 address may embed:
 * - in the last 32 bits (IPv4-mapped, -compatible and -translated, NAT64, ISATAP)
 * - after the prefix of 6to4 (RFC 3056)
 * - as the server and as the inverted client address of Teredo (RFC 4380)
 * - at the positions of a local NAT64 prefix (RFC 6052, section 2.2)
 */
function embeddedIpv4(bytes: readonly number[]): string[] {
  const at = (...indexes: number[]): string => indexes.map((index) => bytes[index]).join('.')
  const startsWith = (...beginning: number[]): boolean =>
    beginning.every((byte, index) => bytes[index] === byte)
  const found: string[] = []
  const isZeros = bytes.slice(0, 8).every((byte) => byte === 0)
  const isIsatap = ISATAP_MARK.every((byte, index) => bytes[10 + index] === byte)
  if (isZeros || isIsatap) found.push(at(12, 13, 14, 15))
  if (startsWith(0x00, 0x64, 0xff, 0x9b))
    found.push(at(12, 13, 14, 15), at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12))
  if (startsWith(0x20, 0x02)) found.push(at(2, 3, 4, 5))
  if (startsWith(0x20, 0x01, 0x00, 0x00)) {
    found.push(at(4, 5, 6, 7))
    found.push([12, 13, 14, 15].map((index) => 255 - (bytes[index] ?? 0)).join('.'))
  }
  return found
}

/**
 * Returns a function that checks whether an address is in one of the blocks. A block is a range such as 10.0.0.0/8,
 * or a single address.
 */
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

/**
 * Length of an IPv6 network, a /64, in 16-bit words. An IPv6 customer has at least a /64 (RFC 6177), and can use a
 * new address for each request.
 */
const IPV6_NETWORK_WORDS = 4

/**
 * Returns the network for which limits count an address: the address itself for IPv4, the /64 for IPv6. Returns
 * `unknown` for any string that is not an IP address.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const words = (parsed as ipaddr.IPv6).parts.slice(0, IPV6_NETWORK_WORDS)
  return `${words.map((word) => word.toString(16)).join(':')}::/64`
}

/** Returns the blocks that contain a single address, such as `10.0.0.1` or `10.0.0.1/32`. */
export const singleAddresses = (blocks: readonly string[]): string[] =>
  blocks.filter(
    (block) => !block.includes('/') || block.endsWith(isIP(block.split('/')[0] ?? '') === 6 ? '/128' : '/32'),
  )

const isInCloudServices = createBlockList(CLOUD_SERVICES)
