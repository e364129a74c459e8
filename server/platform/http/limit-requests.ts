import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '#errors'
import type { RateKey, RateLimits, WindowState } from '#platform/limits/rate-limits.ts'
import { PROBES, READINESS } from '#platform/telemetry/health.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import type { AddressOf } from './client-address.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Exempts a route from rate limits. For cheap resources that a page loads in large numbers, because the page
     * itself is counted.
     */
    isUncounted?: true
  }
  interface FastifyRequest {
    /** The client's IP address (client-address.ts). */
    address: string
    /** The windows that count the request. Null before counting, and for uncounted requests. */
    rateWindows: RequestWindows | null
  }
}

/** Headers on every response that show the state of the rate limits. */
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/**
 * Counts each request for its IP address before any other work. Requests beyond the limit are refused later by
 * `refuseBeyondLimits`. CORS headers are set by then, so a browser's script can read the error.
 */
export function countRequests(http: FastifyInstance, count: CountRequest): void {
  http.decorateRequest('address', '')
  http.decorateRequest('rateWindows', null)
  http.addHook('onRequest', async (request, reply) => {
    const { url = '', config } = request.routeOptions
    if (url === READINESS) await count(request, reply, 'probe')
    else if (PROBES.includes(url)) await count(request, reply, 'look')
    else if (!config.isUncounted) await count(request, reply)
  })
}

/** Refuses requests beyond a limit. Runs after CORS, so preflight requests are counted but always answered. */
export function refuseBeyondLimits(http: FastifyInstance): void {
  http.addHook('onRequest', async ({ rateWindows }) => rateWindows?.check())
}

/**
 * Sets the request's IP address, and counts the request for that address: in the window for readiness probes, or in
 * the window for all other requests. `look` reports the latter window without counting.
 */
export type CountRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  kind?: 'ip' | 'probe' | 'look',
) => Promise<RequestWindows>

interface Dependencies {
  rateLimits: RateLimits
  metrics: Pick<Metrics, 'rateLimited'>
}

export const createCountRequest =
  ({ rateLimits, metrics }: Dependencies, addressOf: AddressOf): CountRequest =>
  async (request, reply, kind = 'ip') => {
    request.address = addressOf(request.raw)
    request.rateWindows = new RequestWindows(rateLimits, metrics, reply)
    if (kind === 'look') await request.rateWindows.look(request.address)
    else await request.rateWindows.take({ kind, id: request.address })
    return request.rateWindows
  }

/**
 * The rate limit windows that count a request. The response headers show the window with the fewest remaining
 * requests.
 */
export class RequestWindows {
  readonly #limits: RateLimits
  readonly #metrics: Pick<Metrics, 'rateLimited'>
  readonly #reply: FastifyReply
  #worst: WindowState | null = null
  #admission: Promise<void> | undefined

  constructor(limits: RateLimits, metrics: Pick<Metrics, 'rateLimited'>, reply: FastifyReply) {
    this.#limits = limits
    this.#metrics = metrics
    this.#reply = reply
  }

  async take(key: RateKey): Promise<void> {
    this.#show(await this.#limits.take(key))
  }

  /** Shows the window of an IP address without counting the request. */
  async look(address: string): Promise<void> {
    this.#show(await this.#limits.look(address))
  }

  #show(window: WindowState | null): void {
    if (window === null || (this.#worst && !isWorse(window, this.#worst))) return
    this.#worst = window
    const { limit, remaining, leftMs } = window
    const values = [limit, remaining, Math.ceil((Date.now() + leftMs) / 1000)]
    this.#reply.headers(Object.fromEntries(RATE_HEADERS.map((name, index) => [name, String(values[index])])))
  }

  /**
   * Counts the request for a user, deployment or visitor. Further calls do not count it again. Throws rate.limited.
   */
  admit(id: string): Promise<void> {
    this.#admission ??= this.take({ kind: 'user', id }).then(() => this.check())
    return this.#admission
  }

  /** Throws rate.limited if a window of the request is exceeded. */
  check(): void {
    if (!this.#worst?.isOver) return
    this.#metrics.rateLimited.inc({ window: this.#worst.kind })
    throw tooMany(this.#worst)
  }
}

/**
 * Returns whether `one` is worse than `other`. An exceeded window is worse. Otherwise, fewer remaining requests are
 * worse, then a longer remaining time.
 */
function isWorse(one: WindowState, other: WindowState): boolean {
  if (one.isOver !== other.isOver) return one.isOver
  return one.remaining === other.remaining ? one.leftMs > other.leftMs : one.remaining < other.remaining
}

function tooMany({ kind, limit, leftMs }: WindowState): Error {
  const retryAfter = Math.max(1, Math.ceil(leftMs / 1000))
  const rate = kind === 'user' ? `${limit} per hour for each user` : `${limit} per minute for each IP address`
  const wait = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`
  return fail('rate.limited', { rate, wait }, { retryAfter })
}
