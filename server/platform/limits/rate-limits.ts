import type { Logger } from 'pino'
import type { Config } from '#config'
import { networkOf } from '#platform/net/addresses.ts'
import type { Redis } from '#platform/redis/redis.ts'
import { LocalWindows, type WindowCount } from './local-windows.ts'
import { SharedWindows } from './shared-windows.ts'

/** The subject of a rate limit: an IP address, the readiness probes of an IP address, or a user. */
export interface RateKey {
  kind: 'ip' | 'probe' | 'user'
  id: string
}

/** The state of a limit after counting a request. */
export interface WindowState {
  kind: RateKey['kind']
  limit: number
  /** Remaining requests in this window. */
  remaining: number
  /** Milliseconds until the window ends. */
  leftMs: number
  /** Whether this request exceeds the limit. */
  isOver: boolean
}

const WINDOWS_MS = { ip: 60_000, probe: 60_000, user: 3_600_000 }
/** Limit for readiness probes: ten per second, which is more than a load balancer with several nodes sends. */
const PROBES_PER_MINUTE = 600

/**
 * Rate limits with fixed windows: one minute per IP address, one hour per user. A window starts with its first
 * request. With Redis, all processes share the windows, and counts are exact. While Redis is unavailable, each
 * process counts separately.
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

  /** Counts a request. Returns null if this kind of request is not limited. Never throws. */
  async take({ kind, id }: RateKey): Promise<WindowState | null> {
    const limit = this.#limits[kind]
    if (limit === 0) return null
    const { count, leftMs } = await this.#count(kind, kind === 'user' ? id : networkOf(id))
    return { kind, limit, remaining: Math.max(0, limit - count), leftMs, isOver: count > limit }
  }

  /** Returns the state of an IP address's limit without counting a request. Returns null if there is no limit. */
  async look(id: string): Promise<WindowState | null> {
    const kind = 'ip'
    const limit = this.#limits[kind]
    if (limit === 0) return null
    const network = networkOf(id)
    const shared = await this.#shared?.look(`${kind}:${network}`, this.#windowsMs[kind])
    const { count, leftMs } = shared ?? this.#local[kind].look(network)
    return { kind, limit, remaining: Math.max(0, limit - count), leftMs, isOver: false }
  }

  async #count(kind: RateKey['kind'], id: string): Promise<WindowCount> {
    // A readiness probe concerns a single process, and its count must work without Redis.
    if (kind === 'probe') return this.#local.probe.take(id)
    const shared = await this.#shared?.take(`${kind}:${id}`, this.#windowsMs[kind])
    return shared ?? this.#local[kind].take(id)
  }
}
