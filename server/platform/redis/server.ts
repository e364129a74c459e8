import type { Logger } from 'pino'
import { createClient, createCluster, type RedisClientOptions } from 'redis'

export type RedisClient = ReturnType<typeof createClient>

/** The commands of the shared connection. In a cluster, the keys of one command must have the same hash tag. */
export type RedisCommands = Pick<
  RedisClient,
  'del' | 'eval' | 'evalSha' | 'lRange' | 'multi' | 'publish' | 'unlink' | 'xAdd' | 'xDel' | 'xRange'
>

/** The process's shared connection: to one server, or to all masters of a cluster. */
export interface RedisServer {
  isCluster: boolean
  commands: RedisCommands
  /** Subscribes to channels. Null if each subscription needs a connection of its own. */
  subscriber: Pick<RedisClient, 'subscribe'> | null
  /** Returns the shared connection to the node that stores a key, and the options for further connections to it. */
  nodeOf(key: string): Promise<{ client: RedisClient; options: RedisClientOptions }>
  onReady(ready: () => void): void
  /** Rejects if the server, or a master of the cluster, is unavailable or refuses writes. */
  check(): Promise<unknown>
  close(): Promise<unknown>
  destroy(): void
}

const CONNECT_TIMEOUT_MS = 5_000
const COMMAND_TIMEOUT_MS = 2_000
/** A connection without traffic for this long is considered dead. Blocking reads must therefore be shorter. */
const IDLE_TIMEOUT_MS = 10_000
/**
 * Pings keep an unused connection from appearing idle. The client sends no ping while the previous one is unanswered.
 */
const PING_INTERVAL_MS = 4_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MAX_MS = 2_000
const RECONNECT_JITTER_MS = 200
const WAITING_COMMANDS_MAX = 4_000

/** Connects to the server at `url`, or to the whole cluster if the server belongs to one. */
export async function connectServer(url: string, log: Logger): Promise<RedisServer> {
  const client = prepareClient(optionsOf(url), log)
  await client.connect()
  if (!(await belongsToCluster(client))) return singleServer(url, client)
  client.destroy()
  return connectCluster(url, log)
}

/** Returns false if Redis refuses the question, as managed servers do that are not clusters. */
const belongsToCluster = (client: RedisClient): Promise<boolean> =>
  client.info('cluster').then(
    (info) => info.includes('cluster_enabled:1'),
    () => false,
  )

const singleServer = (url: string, client: RedisClient): RedisServer => ({
  isCluster: false,
  commands: client,
  subscriber: null,
  nodeOf: async () => ({ client, options: optionsOf(url) }),
  onReady: (ready) => void client.on('ready', ready),
  check: () => probe(client),
  close: () => client.close(),
  destroy: () => client.destroy(),
})

async function connectCluster(url: string, log: Logger): Promise<RedisServer> {
  const { url: _ofOneNode, ...defaults } = optionsOf(url)
  const cluster = createCluster({ rootNodes: [{ url }], defaults: { ...defaults, ...credentialsOf(url) } })
  for (const name of ['error', 'node-error'])
    cluster.on(name, (error: unknown) => log.warn({ err: error }, 'redis'))
  await cluster.connect()
  const clientOf = async (master: (typeof cluster.masters)[number]): Promise<RedisClient> =>
    (await cluster.nodeClient(master)) as unknown as RedisClient
  return {
    isCluster: true,
    // The cluster's client has the same commands, and sends each to the node of its first key.
    commands: cluster as unknown as RedisCommands,
    subscriber: cluster as unknown as Pick<RedisClient, 'subscribe'>,
    async nodeOf(key) {
      const slot = Number(await cluster.sendCommand(undefined, true, ['CLUSTER', 'KEYSLOT', key]))
      const { master } = cluster.slots[slot] ?? {}
      if (!master) throw new Error(`no node of the cluster has slot ${slot}`)
      const { host, port } = master
      const { socket, ...options } = { ...defaults, ...credentialsOf(url) }
      return {
        client: await clientOf(master),
        options: { ...options, socket: { ...socket, host, port } as RedisClientOptions['socket'] & object },
      }
    },
    onReady: (ready) => void cluster.on('node-ready', ready),
    check: () => Promise.all(cluster.masters.map(async (master) => probe(await clientOf(master)))),
    close: () => cluster.close(),
    destroy: () => cluster.destroy(),
  }
}

/** A script that may write and has no keys. Redis refuses it, as it does all writes, when its memory is full. */
const WRITING_SCRIPT = '#!lua\nreturn 1'

/** Rejects if Redis does not respond, or refuses writes because it has reached `maxmemory`. */
export async function probe(client: Pick<RedisClient, 'eval' | 'ping'>): Promise<void> {
  try {
    await client.eval(WRITING_SCRIPT)
  } catch (error) {
    if (isOutOfMemory(error)) throw error
    await client.ping() // a server that does not know such scripts
  }
}

/** Returns whether Redis refused a command because it has reached `maxmemory`. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('OOM ')

/** Returns a client that is not connected yet. */
export function prepareClient(options: RedisClientOptions, log: Logger): RedisClient {
  const client = createClient(options)
  client.on('error', (error: unknown) => log.warn({ err: error }, 'redis'))
  // A client that is destroyed while it connects would otherwise connect later and stay open.
  client.on('ready', () => {
    if (!client.isOpen) client.destroy()
  })
  return client as RedisClient
}

/**
 * Returns the client's options. The client's command timeout covers only the time until a command is written, so
 * `run` has a timeout of its own. Without a reconnect strategy, the client would not reconnect after an idle timeout.
 */
export const optionsOf = (url: string) => ({
  url,
  disableOfflineQueue: true,
  commandsQueueMaxLength: WAITING_COMMANDS_MAX,
  pingInterval: PING_INTERVAL_MS,
  socket: {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    reconnectStrategy: (retries: number) =>
      Math.min(RECONNECT_FIRST_MS * 2 ** retries, RECONNECT_MAX_MS) + Math.random() * RECONNECT_JITTER_MS,
  },
  commandOptions: { timeout: COMMAND_TIMEOUT_MS },
})

/** Returns the parts of the URL that apply to all nodes of a cluster. */
function credentialsOf(url: string): RedisClientOptions {
  const { username, password, protocol } = new URL(url)
  const { socket } = optionsOf(url)
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { socket: { ...socket, tls: true } }),
  }
}
