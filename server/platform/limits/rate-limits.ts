import type { Logger } from 'pino'
import type { Config } from '#config'
import { networkOf } from '#platform/net/addresses.ts'
import type { Redis } from '#platform/redis/redis.ts'
import { LocalWindows, type WindowCount } from './local-windows.ts'
import { SharedWindows } from './shared-windows.ts'

/** Whose requests are counted: an IP address, its readiness probes apart, or a known user. */
export interface RateKey {
  kind: 'ip' | 'probe' | 'user'
  id: string
}

/** Where somebody stands after a request was counted. */
export interface WindowState {
  kind: RateKey['kind']
  limit: number
  /** Further requests that this window still has. */
  remaining: number
  /** Until the window ends. */
  leftMs: number
  /** Whether this request was one too many. */
  isOver: boolean
}

const WINDOWS_MS = { ip: 60_000, probe: 60_000, user: 3_600_000 }
/** Ten a second: more than a load balancer of several nodes sends. */
const PROBES_PER_MINUTE = 600

/**
 * How many requests there may be (contract, 12): fixed windows, a minute for an address and an hour for a user, each of
 * which begins with its first request. Processes count together where there is Redis, and exactly: each request has
 * a number of its own. While Redis does not answer, each process counts for itself.
 */
export class RateLimits {
  readonly #limits: Record<RateKey['kind'], number>
  readonly #windowsMs: Record<RateKey['kind'], number>
  readonly #local: Record<RateKey['kind'], LocalWindows>
  readonly #shared: SharedWindows | null

  constructor(
    { ipPerMinute, userPerHour }: Config['rateLimits'],
    { redis, log }: { redis: Redis | null; log: Logger },
    windowsMs = WINDOWS_MS,
  ) {
    this.#limits = { ip: ipPerMinute, probe: ipPerMinute === 0 ? 0 : PROBES_PER_MINUTE, user: userPerHour }
    this.#windowsMs = windowsMs
    this.#local = {
      ip: new LocalWindows(windowsMs.ip),
      probe: new LocalWindows(windowsMs.probe),
      user: new LocalWindows(windowsMs.user),
    }
    this.#shared = redis && new SharedWindows(redis, log)
  }

  /** Counts a request. Null: there is no such limit. Never throws. */
  async take({ kind, id }: RateKey): Promise<WindowState | null> {
    const limit = this.#limits[kind]
    if (limit === 0) return null
    const { count, leftMs } = await this.#count(kind, kind === 'user' ? id : networkOf(id))
    return { kind, limit, remaining: Math.max(0, limit - count), leftMs, isOver: count > limit }
  }

  async #count(kind: RateKey['kind'], id: string): Promise<WindowCount> {
    // A probe asks about one process, also while Redis is away.
    if (kind === 'probe') return this.#local.probe.take(id)
    const shared = await this.#shared?.take(`${kind}:${id}`, this.#windowsMs[kind])
    return shared ?? this.#local[kind].take(id)
  }
}
