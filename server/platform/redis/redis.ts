import type { Logger } from 'pino'
import { createClient, type RedisClientOptions } from 'redis'
import { fail, sentence } from '#errors'

export type RedisClient = ReturnType<typeof createClient>

/** What processes share. Redis that is away or frozen costs what runs on it, and holds nothing else up. */
export interface Redis {
  /**
   * Runs a command on the connection of the process. Throws server.unavailable where Redis is away, refuses, or does
   * not answer within COMMAND_TIMEOUT_MS; then every other command fails at once, until Redis is heard again.
   */
  run<Answer>(command: (client: RedisClient) => Promise<Answer>): Promise<Answer>
  /**
   * A connection of its own, for what waits or listens: the caller destroys it. It connects and subscribes anew by
   * itself. Throws server.unavailable.
   */
  openConnection(): Promise<RedisClient>
  /** Throws where Redis does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
const COMMAND_TIMEOUT_MS = 2_000
/** A connection without a word in either direction for this long is dead. Blocking reads must be shorter. */
const IDLE_TIMEOUT_MS = 10_000
/** So that a connection without work is not idle. The client sends no second one before the first is answered. */
const PING_INTERVAL_MS = 4_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MAX_MS = 2_000
const RECONNECT_JITTER_MS = 200
const WAITING_COMMANDS_MAX = 4_000
/** How long commands under way may take when the process stops. */
const CLOSE_MS = 1_000

/** Waits for Redis to be there. */
export async function connectRedis(redisUrl: string, log: Logger): Promise<Redis> {
  const prepareClient = (): RedisClient => {
    const made = createClient(optionsOf(redisUrl))
    made.on('error', (error: unknown) => log.warn({ err: error }, 'redis'))
    // A client that is destroyed while it connects goes on to connect, and would stay.
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
    // Also an answer that comes too late says that Redis is back.
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
 * The client's own time-out for commands ends once a command is written, so it says nothing about Redis; and by
 * default a connection that was found idle is given up for good.
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
  override readonly message = 'Redis has not answered in time'
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
