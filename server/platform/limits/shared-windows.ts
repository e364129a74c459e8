import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Redis, RedisClient } from '#platform/redis/redis.ts'
import type { WindowCount } from './local-windows.ts'

/**
 * The maximum wait for Redis is WAIT_STEPS × WAIT_STEP_MS per window, which is less than half a second for a request's
 * two windows. The wait is counted in timer steps, because a step that fires late counts once. So time in which this
 * process was too busy to read Redis's response does not count.
 */
const WAIT_STEP_MS = 45
const WAIT_STEPS = 5
/** How often to check whether an unavailable Redis works again, outside of requests. */
const RETRY_MS = 1_000
const PROBE_WINDOW_MS = 1_000

/**
 * Counts a request and starts its window in one atomic step, so that each concurrent request gets a different count.
 */
const SCRIPT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {count, left}`
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex')

/** Fixed windows that processes share through Redis, each starting with its first request. */
export class SharedWindows {
  readonly #redis: Redis
  readonly #log: Logger
  #isAway = false
  #retryAt = 0

  constructor(redis: Redis, log: Logger) {
    this.#redis = redis
    this.#log = log
  }

  /**
   * Returns null if Redis is unavailable or too slow. After that, requests do not wait for Redis until it works again.
   */
  async take(key: string, windowMs: number): Promise<WindowCount | null> {
    if (this.#isAway) {
      this.#lookAgain()
      return null
    }
    try {
      return await this.#ask(key, windowMs)
    } catch (error) {
      if (!this.#isAway)
        this.#log.warn({ err: error }, 'Redis is unavailable; each process counts rate limits separately')
      this.#isAway = true
      this.#retryAt = performance.now() + RETRY_MS
      return null
    }
  }

  #ask(key: string, windowMs: number): Promise<WindowCount> {
    return withTimeout(this.#redis.run((client) => runScript(client, `parley:rate:${key}`, windowMs)))
  }

  #lookAgain(): void {
    const now = performance.now()
    if (now < this.#retryAt) return
    this.#retryAt = now + RETRY_MS
    this.#ask('probe', PROBE_WINDOW_MS).then(
      () => {
        this.#isAway = false
        this.#log.info('Redis is available again; processes share rate limits')
      },
      () => {},
    )
  }
}

/** Runs the script, and sends its source again after a restart of Redis. */
async function runScript(client: RedisClient, key: string, windowMs: number): Promise<WindowCount> {
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
