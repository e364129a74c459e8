import { lookup as lookupInDns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { assertOutsideTransaction } from '#database/ambient.ts'
import { sentence } from '#errors'
import { createBlockList, isCloudService, isPublic, singleAddresses } from './addresses.ts'

/** An address that may not be reached. The message is a sentence for the person who gave the address. */
export class NetError extends Error {
  override readonly name = 'NetError'
}

/** Outgoing connections: pooled, kept alive, and no redirect is ever followed by itself. */
export interface Net {
  /**
   * For addresses that a tenant gave: public ones only, and those that ALLOW_PRIVATE_NETWORK names. Cloud
   * metadata is among those only where the list names its single address.
   */
  guarded: Dispatcher
  /** For addresses that the operator gave. */
  open: Dispatcher
  /**
   * Checks what an address that a tenant gave shows without being resolved: http or https, no credentials, and no
   * literal address that is not public, however it is spelled. Throws a NetError. The connection checks the rest.
   */
  checkUrl(address: string): URL
  close(): Promise<void>
}

/** What a server answers, its body not read yet. */
export type NetAnswer = Dispatcher.ResponseData

const CONNECT_TIMEOUT_MS = 10_000
const CONNECTIONS_PER_ORIGIN_MAX = 1_024
const KEEP_ALIVE_MS = 30_000

/** The part of `dns.lookup` that the guard needs. */
export type ResolveName = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void

export function createNet(options: {
  allowPrivateNetwork: boolean | string[]
  /** Milliseconds until a connection stands, its name resolved and its certificate checked. */
  connectTimeoutMs?: number
  /** How names are resolved, where not by the machine's own resolver. */
  resolveName?: ResolveName
}): Net {
  const { allowPrivateNetwork, connectTimeoutMs = CONNECT_TIMEOUT_MS, resolveName = lookupInDns } = options
  const refuse = createGuard(allowPrivateNetwork)
  // HTTP/1.1 only: one wire to know, and a cut stream is a cut socket.
  const connection: buildConnector.BuildOptions = { timeout: connectTimeoutMs, allowH2: false }
  // Goes on to net.connect and tls.connect as it is; undici's types demand a port beside it.
  const checked = { ...connection, lookup: checkedLookup(refuse, resolveName) } as typeof connection
  const open = createAgent(buildConnector(connection))
  const guarded = createAgent(refuseLiterals(refuse, buildConnector(checked)))
  return {
    open,
    guarded,
    checkUrl: (address) => checkUrl(address, refuse),
    async close() {
      await Promise.all([open.destroy(), guarded.destroy()])
    },
  }
}

class GuardedAgent extends Agent {
  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    assertOutsideTransaction('net.dispatch')
    return super.dispatch(options, handler)
  }
}

const createAgent = (connect: buildConnector.connector): Agent =>
  new GuardedAgent({
    connect,
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // How long an answer may take is for the caller to bound.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

/** Why an address that a tenant's `host` stands for may not be reached; null: it may. */
type Refuse = (host: string, address: string) => NetError | null

/**
 * Cloud metadata hands out the machine's credentials, so neither `true` nor a block opens it: only a list that names
 * the single address does.
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

/** Literal addresses never reach the resolver, so they are checked before. */
const refuseLiterals =
  (refuse: Refuse, connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    const host = withoutBrackets(options.hostname)
    const refusal = isIP(host) ? refuse(host, host) : null
    if (refusal) queueMicrotask(() => callback(refusal, null))
    else connect(options, callback)
  }

/**
 * Resolves a name once, checks every address that it stands for, and connects to one of these very addresses: a name
 * that stands for another one a moment later gains nothing. One address that may not be reached spoils the name.
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
  if (!url) throw new NetError(sentence('net.not_an_address'))
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new NetError(sentence('net.protocol', { protocol: url.protocol }))
  if (url.username !== '' || url.password !== '') throw new NetError(sentence('net.credentials'))
  const host = withoutBrackets(url.hostname)
  const refusal = isIP(host) ? refuse(host, host) : null
  if (refusal) throw refusal
  return url
}

/** `new URL` has normalised every spelling of an address by now; IPv6 stands in brackets. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const notPublic = (host: string): NetError => new NetError(sentence('net.not_public', { host }))

const ofCloud = (host: string): NetError => new NetError(sentence('net.cloud_metadata', { host }))

const notFound = (hostname: string): Error =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' })
