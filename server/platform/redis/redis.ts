import type { Logger } from 'pino'
import type { RedisClientOptions } from 'redis'
import { fail, sentence } from '#errors'
import {
  connectServer,
  isOutOfMemory,
  optionsOf,
  prepareClient,
  type RedisClient,
  type RedisCommands,
} from './server.ts'

/**
 * The Redis server or Redis Cluster that all processes share. If Redis is down or unresponsive, features that depend
 * on it fail. Other work is not delayed.
 */
export interface Redis {
  isCluster: boolean
  /**
   * Runs a command on the process's shared connection. Throws server.unavailable if Redis is down, refuses the
   * command, or does not respond within COMMAND_TIMEOUT_MS. After a timeout, all commands fail immediately until
   * Redis responds again. In a cluster, each command waits on its own, because its node may be the only one down.
   */
  run<Answer>(command: (client: RedisCommands) => Promise<Answer>): Promise<Answer>
  /**
   * Opens a separate connection for blocking commands, in a cluster to the node that stores `key`. The caller must
   * destroy it. Throws server.unavailable.
   */
  openConnection(key: string): Promise<BlockingConnection>
  /**
   * Subscribes to a channel until `close`. Reconnects and resubscribes automatically. Throws server.unavailable.
   */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  /** Throws server.unavailable if Redis, or a master of the cluster, does not respond or refuses writes. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface BlockingConnection {
  client: RedisClient
  /** Makes a blocking command in progress return as if its time were over. Throws server.unavailable. */
  interrupt(): Promise<void>
  destroy(): void
}

const CONNECT_TIMEOUT_MS = 5_000
const COMMAND_TIMEOUT_MS = 2_000
/** Time for running commands to finish when the process stops. */
const CLOSE_MS = 1_000

/** Connects to Redis, and waits until the connection is ready. */
export async function connectRedis(redisUrl: string, log: Logger): Promise<Redis> {
  const server = await connectServer(redisUrl, log)
  let isUnresponsive = false
  server.onReady(() => {
    isUnresponsive = false
  })

  async function within<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (isUnresponsive) throw unavailable(new CommandTimeout())
    const answer = ask()
    // A response after the timeout also shows that Redis is responsive again.
    answer.then(
      () => {
        isUnresponsive = false
      },
      () => {},
    )
    try {
      return await withTimeout(answer, COMMAND_TIMEOUT_MS)
    } catch (cause) {
      if (cause instanceof CommandTimeout) isUnresponsive = !server.isCluster
      throw unavailable(cause)
    }
  }

  const others = new Set<RedisClient>()
  async function openOther(options: RedisClientOptions): Promise<RedisClient> {
    const connection = prepareClient(options, log)
    others.add(connection)
    connection.on('end', () => others.delete(connection))
    try {
      await withTimeout(connection.connect(), CONNECT_TIMEOUT_MS)
      return connection
    } catch (cause) {
      connection.destroy()
      throw unavailable(cause)
    }
  }

  return {
    isCluster: server.isCluster,
    run: (command) => within(() => command(server.commands)),
    async openConnection(key) {
      const node = await within(() => server.nodeOf(key))
      const client = await openOther(node.options)
      const id = String(await within(() => client.clientId()))
      return {
        client,
        interrupt: async () => void (await within(() => node.client.sendCommand(['CLIENT', 'UNBLOCK', id]))),
        destroy: () => client.destroy(),
      }
    },
    async subscribe(channel, listener) {
      const subscriber = server.subscriber ?? (await openOther(optionsOf(redisUrl)))
      await within(() => subscriber.subscribe(channel, listener))
    },
    check: async () => void (await within(() => server.check())),
    async close() {
      for (const connection of others) connection.destroy()
      await withTimeout(server.close(), CLOSE_MS).catch(() => server.destroy())
    },
  }
}

class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout'
  override readonly message = 'Redis did not respond in time'
}

const unavailable = (cause: unknown) =>
  fail(
    'server.unavailable',
    { reason: sentence(isOutOfMemory(cause) ? 'redis.full' : 'redis.no_answer') },
    { cause },
  )

async function withTimeout<Answer>(answer: Promise<Answer>, milliseconds: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CommandTimeout()), milliseconds)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
