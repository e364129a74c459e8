import { lookup as lookupInDns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { quote } from '#errors'
import { createBlockList, isPublic } from './addresses.ts'

/** An address that may not be reached. The message is a sentence for the person who gave the address. */
export class NetError extends Error {
  override readonly name = 'NetError'
}

/** Outgoing connections: pooled, kept alive, and no redirect is ever followed by itself. */
export interface Net {
  /** For addresses that a tenant gave: public ones only, and those that ALLOW_PRIVATE_NETWORK names. */
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
  const isInList = createBlockList(Array.isArray(allowPrivateNetwork) ? allowPrivateNetwork : [])
  const isAllowed = (address: string): boolean =>
    allowPrivateNetwork === true || isPublic(address) || isInList(address)
  // HTTP/1.1 only: one wire to know, and a cut stream is a cut socket.
  const connection: buildConnector.BuildOptions = { timeout: connectTimeoutMs, allowH2: false }
  // Goes on to net.connect and tls.connect as it is; undici's types demand a port beside it.
  const checked = { ...connection, lookup: checkedLookup(isAllowed, resolveName) } as typeof connection
  const open = createAgent(buildConnector(connection))
  const guarded = createAgent(refuseLiterals(isAllowed, buildConnector(checked)))
  return {
    open,
    guarded,
    checkUrl: (address) => checkUrl(address, isAllowed),
    async close() {
      await Promise.all([open.destroy(), guarded.destroy()])
    },
  }
}

const createAgent = (connect: buildConnector.connector): Agent =>
  new Agent({
    connect,
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // How long an answer may take is for the caller to bound.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

type IsAllowed = (address: string) => boolean

/** Literal addresses never reach the resolver, so they are checked before. */
const refuseLiterals =
  (isAllowed: IsAllowed, connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    const host = withoutBrackets(options.hostname)
    if (isIP(host) && !isAllowed(host)) queueMicrotask(() => callback(notPublic(host), null))
    else connect(options, callback)
  }

/**
 * Resolves a name once, checks every address that it stands for, and connects to one of these very addresses: a name
 * that stands for another one a moment later gains nothing. One address that may not be reached spoils the name.
 */
const checkedLookup =
  (isAllowed: IsAllowed, resolveName: ResolveName): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) callback(error ?? notFound(hostname), [])
      else if (!addresses.every(({ address }) => isAllowed(address))) callback(notPublic(hostname), [])
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

function checkUrl(address: string, isAllowed: IsAllowed): URL {
  const url = URL.parse(address)
  if (!url) throw new NetError('This is not a web address. It begins with https:// or http://')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new NetError(`Only https:// and http:// addresses can be reached, not ${quote(url.protocol)}`)
  if (url.username !== '' || url.password !== '')
    throw new NetError('An address must not hold a user name or a password.')
  const host = withoutBrackets(url.hostname)
  if (isIP(host) && !isAllowed(host)) throw notPublic(host)
  return url
}

/** `new URL` has normalised every spelling of an address by now; IPv6 stands in brackets. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const notPublic = (host: string): NetError =>
  new NetError(
    `${quote(host)} is not at a public address. The operator of this server can allow it with ALLOW_PRIVATE_NETWORK.`,
  )

const notFound = (hostname: string): Error =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' })
