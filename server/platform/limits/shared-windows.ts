import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Redis } from '#platform/redis/redis.ts'
import type { RedisCommands } from '#platform/redis/server.ts'
import type { WindowCount } from './local-windows.ts'

/**
 * Maximum wait for Redis per window: WAIT_STEPS × WAIT_STEP_MS. A request has two windows, so it waits less than half
 * a second. The wait is counted in timer steps, and a late step counts once. Time in which this process is too busy
 * to read Redis's response therefore does not count.
 */
const WAIT_STEP_MS = 45
const WAIT_STEPS = 5
/** Minimum time between two checks of whether Redis is available again. Requests do not wait for a check. */
const RETRY_MS = 1_000
const PROBE_WINDOW_MS = 1_000

/**
 * Counts a request. The first request starts the window. The script is atomic, so each concurrent request gets a
 * different count.
 */
const SCRIPT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {count, left}`
/** Returns the count of a window without counting a request. */
const LOOK_SCRIPT = `
return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1])}`
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex')

type Ask = (client: RedisCommands, key: string, windowMs: number) => Promise<WindowCount>

/** Fixed windows that processes share through Redis. Each window starts with its first request. */
export class SharedWindows {
  readonly #redis: Redis
  readonly #log: Logger
  #isUnavailable = false
  #retryAt = 0

  constructor(redis: Redis, log: Logger) {
    this.#redis = redis
    this.#log = log
  }

  /**
   * Counts a request. Returns null if Redis is unavailable or too slow. Later requests then skip Redis until it is
   * available again.
   */
  take(key: string, windowMs: number): Promise<WindowCount | null> {
    return this.#try(key, windowMs, runScript)
  }

  /** Returns the current count of a window without counting a request, or null as `take` does. */
  async look(key: string, windowMs: number): Promise<WindowCount | null> {
    const window = await this.#try(key, windowMs, async (client, name) => {
      const [count, leftMs] = (await client.eval(LOOK_SCRIPT, { keys: [name], arguments: [] })) as [
        number,
        number,
      ]
      return { count, leftMs }
    })
    return window && (window.leftMs < 0 ? { count: 0, leftMs: windowMs } : window)
  }

  async #try(key: string, windowMs: number, ask: Ask): Promise<WindowCount | null> {
    if (this.#isUnavailable) {
      this.#checkAgain()
      return null
    }
    try {
      return await this.#ask(key, windowMs, ask)
    } catch (error) {
      if (!this.#isUnavailable)
        this.#log.warn({ err: error }, 'Redis is unavailable; each process counts rate limits separately')
      this.#isUnavailable = true
      this.#retryAt = performance.now() + RETRY_MS
      return null
    }
  }

  #ask(key: string, windowMs: number, ask: Ask = runScript): Promise<WindowCount> {
    return withTimeout(this.#redis.run((client) => ask(client, `parley:rate:${key}`, windowMs)))
  }

  #checkAgain(): void {
    const now = performance.now()
    if (now < this.#retryAt) return
    this.#retryAt = now + RETRY_MS
    this.#ask('probe', PROBE_WINDOW_MS).then(
      () => {
        this.#isUnavailable = false
        this.#log.info('Redis is available again; processes share rate limits')
      },
      () => {},
    )
  }
}

/** Runs the script by its hash. Sends the source if Redis does not know the script, for example after a restart. */
async function runScript(client: RedisCommands, key: string, windowMs: number): Promise<WindowCount> {
  const options = { keys: [key], arguments: [String(windowMs)] }
  const answer = await client.evalSha(SCRIPT_SHA1, options).catch((error: Error) => {
    if (!error.message.startsWith('NOSCRIPT')) throw error
    return client.eval(SCRIPT, options)
  })
  const [count, leftMs] = answer as [number, number]
  return { count, leftMs }
}

async function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  let steps = 0
  const timer = setInterval(() => {
    if (++steps === WAIT_STEPS) reject(new Error('Redis did not respond in time'))
  }, WAIT_STEP_MS)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearInterval(timer)
  }
}
