import { lookup as lookupInDns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector, type Dispatcher } from 'undici'
import { type Reason, reasonFor } from '#errors'
import { createBlockList, isCloudService, isPublic, singleAddresses } from './addresses.ts'
import { BoundedAgent, connectionsByFiles } from './bounded-agent.ts'

/** Thrown for an address that must not be reached. The message is written for the user who entered the address. */
export class NetError extends Error implements Reason {
  override readonly name = 'NetError'
  readonly code: Reason['code']
  readonly values: Reason['values']

  constructor({ message, code, values }: Reason) {
    super(message)
    this.code = code
    this.values = values
  }
}

/** Outgoing connections. They are pooled and kept alive, and do not follow redirects. */
export interface Net {
  /**
   * For addresses given by tenants. Reaches only public addresses and the addresses in ALLOW_PRIVATE_NETWORK. Reaches
   * cloud metadata only if ALLOW_PRIVATE_NETWORK lists its exact address.
   */
  guarded: Dispatcher
  /** For addresses given by the operator. */
  open: Dispatcher
  /**
   * Checks a URL given by a tenant without resolving the name. Throws a NetError unless the URL is http or https,
   * contains no credentials, and names no private IP address in any spelling. Resolved addresses are checked when
   * connecting.
   */
  checkUrl(address: string): URL
  /** Number of calls that wait for a connection, because all connections to their origin are in use. */
  waiting(): number
  close(): Promise<void>
}

/** A response with an unread body. */
export type NetAnswer = Dispatcher.ResponseData

const CONNECT_TIMEOUT_MS = 10_000

/** The part of `dns.lookup` that the guard needs. */
export type ResolveName = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void

export function createNet(options: {
  allowPrivateNetwork: boolean | string[]
  /** Timeout in milliseconds for establishing a connection, including name resolution and TLS. */
  connectTimeoutMs?: number
  /** Maximum number of connections to one origin. By default, derived from the limit of open files. */
  serviceConnectionsMax?: number | null
  /** Replaces the operating system's resolver. */
  resolveName?: ResolveName
}): Net {
  const { allowPrivateNetwork, connectTimeoutMs = CONNECT_TIMEOUT_MS, resolveName = lookupInDns } = options
  const connections = options.serviceConnectionsMax ?? connectionsByFiles()
  const refuse = createGuard(allowPrivateNetwork)
  // HTTP/1.1 only, so that aborting a response always closes its socket.
  const connection: buildConnector.BuildOptions = { timeout: connectTimeoutMs, allowH2: false }
  // undici passes these options to net.connect and tls.connect. Its types also require a port, so a cast is needed.
  const checked = { ...connection, lookup: checkedLookup(refuse, resolveName) } as typeof connection
  const full = () => new NetError(reasonFor('net.busy'))
  const createAgent = (connect: buildConnector.connector) => new BoundedAgent({ connect, connections, full })
  const open = createAgent(buildConnector(connection))
  const guarded = createAgent(refuseLiterals(refuse, buildConnector(checked)))
  return {
    open,
    guarded,
    checkUrl: (address) => checkUrl(address, refuse),
    waiting: () => open.waiting + guarded.waiting,
    async close() {
      await Promise.all([open.destroy(), guarded.destroy()])
    },
  }
}

/** Returns the error for an address that `host` resolves to. Null if the address is allowed. */
type Refuse = (host: string, address: string) => NetError | null

/**
 * Creates the check for addresses. Cloud metadata exposes the machine's credentials. Cloud metadata is therefore
 * allowed only if the list contains its exact address, not by `true` or a block.
 */
function createGuard(allowPrivateNetwork: boolean | string[]): Refuse {
  const blocks = Array.isArray(allowPrivateNetwork) ? allowPrivateNetwork : []
  const isInList = createBlockList(blocks)
  const isNamed = createBlockList(singleAddresses(blocks))
  return (host, address) => {
    if (isCloudService(address)) return isNamed(address) ? null : ofCloud(host)
    return allowPrivateNetwork === true || isPublic(address) || isInList(address) ? null : notPublic(host)
  }
}

/** Checks IP addresses before connecting, because they never reach the resolver. */
const refuseLiterals =
  (refuse: Refuse, connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    const host = withoutBrackets(options.hostname)
    const refusal = isIP(host) ? refuse(host, host) : null
    if (refusal) queueMicrotask(() => callback(refusal, null))
    else connect(options, callback)
  }

/**
 * Creates a lookup that resolves a name once, checks all addresses, and connects to one of them. DNS rebinding
 * therefore has no effect. A single forbidden address refuses the name.
 */
const checkedLookup =
  (refuse: Refuse, resolveName: ResolveName): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) return callback(error ?? notFound(hostname), [])
      for (const { address } of addresses) {
        const refusal = refuse(hostname, address)
        if (refusal) return callback(refusal, [])
      }
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

function checkUrl(address: string, refuse: Refuse): URL {
  const url = URL.parse(address)
  if (!url) throw new NetError(reasonFor('net.not_an_address'))
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new NetError(reasonFor('net.protocol', { protocol: url.protocol }))
  if (url.username !== '' || url.password !== '') throw new NetError(reasonFor('net.credentials'))
  const host = withoutBrackets(url.hostname)
  const refusal = isIP(host) ? refuse(host, host) : null
  if (refusal) throw refusal
  return url
}

/** Removes the brackets of an IPv6 address. `new URL` has already normalized the spelling. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const notPublic = (host: string): NetError => new NetError(reasonFor('net.not_public', { host }))

const ofCloud = (host: string): NetError => new NetError(reasonFor('net.cloud_metadata', { host }))

const notFound = (hostname: string): Error =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' })
