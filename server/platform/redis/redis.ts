import type { Logger } from 'pino'
import { createClient, type RedisClientOptions } from 'redis'
import { fail, sentence } from '#errors'

export type RedisClient = ReturnType<typeof createClient>

/**
 * The Redis server that all processes share. If Redis is down or unresponsive, features that depend on it fail. Other
 * work is not delayed.
 */
export interface Redis {
  /**
   * Runs a command on the process's shared connection. Throws server.unavailable if Redis is down, refuses the
   * command, or does not respond within COMMAND_TIMEOUT_MS. After a timeout, all commands fail immediately until
   * Redis responds again.
   */
  run<Answer>(command: (client: RedisClient) => Promise<Answer>): Promise<Answer>
  /**
   * Opens a separate connection for blocking commands and subscriptions. The connection reconnects and resubscribes
   * automatically. The caller must destroy it. Throws server.unavailable.
   */
  openConnection(): Promise<RedisClient>
  /** Throws if Redis does not respond. */
  check(): Promise<void>
  close(): Promise<void>
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
/** Time for running commands to finish when the process stops. */
const CLOSE_MS = 1_000

/** Connects to Redis, and waits until the connection is ready. */
export async function connectRedis(redisUrl: string, log: Logger): Promise<Redis> {
  const prepareClient = (): RedisClient => {
    const made = createClient(optionsOf(redisUrl))
    made.on('error', (error: unknown) => log.warn({ err: error }, 'redis'))
    // A client that is destroyed while it connects would otherwise connect later and stay open.
    made.on('ready', () => {
      if (!made.isOpen) made.destroy()
    })
    return made as RedisClient
  }
  const others = new Set<RedisClient>()
  const client = prepareClient()
  let isUnresponsive = false
  client.on('ready', () => {
    isUnresponsive = false
  })
  await client.connect()

  const run: Redis['run'] = async (command) => {
    if (isUnresponsive) throw unavailable(new CommandTimeout())
    const answer = command(client)
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
      if (cause instanceof CommandTimeout) isUnresponsive = true
      throw unavailable(cause)
    }
  }

  return {
    run,
    async openConnection() {
      const connection = prepareClient()
      others.add(connection)
      connection.on('end', () => others.delete(connection))
      try {
        await withTimeout(connection.connect(), CONNECT_TIMEOUT_MS)
        return connection
      } catch (cause) {
        connection.destroy()
        throw unavailable(cause)
      }
    },
    async check() {
      await run((redis) => redis.ping())
    },
    async close() {
      for (const connection of others) connection.destroy()
      await withTimeout(client.close(), CLOSE_MS).catch(() => client.destroy())
    },
  }
}

/**
 * Returns the client's options. The client's command timeout covers only the time until a command is written, so
 * `run` has a timeout of its own. Without a reconnect strategy, the client would not reconnect after an idle timeout.
 */
const optionsOf = (url: string): RedisClientOptions => ({
  url,
  disableOfflineQueue: true,
  commandsQueueMaxLength: WAITING_COMMANDS_MAX,
  pingInterval: PING_INTERVAL_MS,
  socket: {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    reconnectStrategy: (retries) =>
      Math.min(RECONNECT_FIRST_MS * 2 ** retries, RECONNECT_MAX_MS) + Math.random() * RECONNECT_JITTER_MS,
  },
  commandOptions: { timeout: COMMAND_TIMEOUT_MS },
})

class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout'
  override readonly message = 'Redis did not respond in time'
}

const unavailable = (cause: unknown) =>
  fail('server.unavailable', { reason: sentence('redis.no_answer') }, { cause })

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
