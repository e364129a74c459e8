import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
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
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
const CONNECTIONS_PER_ORIGIN_MAX = 1_024
const KEEP_ALIVE_MS = 30_000

export function createNet(options: {
  allowPrivateNetwork: boolean | string[]
  connectTimeoutMs?: number
}): Net {
  const { allowPrivateNetwork, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const connect = buildConnector({ timeout: connectTimeoutMs })
  const agent = (connector: buildConnector.connector) =>
    new Agent({
      connect: connector,
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // How long a provider may think is for the caller to bound.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  const open = agent(connect)
  const guarded =
    allowPrivateNetwork === true ? open : agent(guardConnector(connect, allowPrivateNetwork || []))
  return {
    open,
    guarded,
    async close() {
      await Promise.all([...new Set([open, guarded])].map((each) => each.destroy()))
    },
  }
}

/**
 * Resolves a name once, checks what it resolves to, and connects to that very address: a name that resolves to
 * another one a moment later gains nothing. A literal address is checked like a resolved one.
 */
function guardConnector(connect: buildConnector.connector, blocks: string[]): buildConnector.connector {
  const isAllowed = createBlockList(blocks)
  return (options, callback) => {
    resolve(options.hostname, isAllowed).then(
      (address) => {
        const servername = options.servername || (isIP(bare(options.hostname)) ? undefined : options.hostname)
        connect({ ...options, hostname: address, ...(servername !== undefined && { servername }) }, callback)
      },
      (error: Error) => callback(error, null),
    )
  }
}

async function resolve(hostname: string, isAllowed: (address: string) => boolean): Promise<string> {
  const host = bare(hostname)
  const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address)
  const wrong = addresses.find((address) => !isPublic(address) && !isAllowed(address))
  const [first] = addresses
  if (wrong !== undefined || first === undefined)
    throw new NetError(
      `${hostname} is not at a public address. The operator of this server can allow it with ALLOW_PRIVATE_NETWORK.`,
    )
  return first
}

/** `new URL` has normalised every spelling of an address by now; IPv6 stands in brackets. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')
