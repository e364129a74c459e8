import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '#errors'
import type { RateKey, RateLimits, WindowState } from '#platform/limits/rate-limits.ts'
import { PROBES, READINESS } from '#platform/telemetry/health.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import type { AddressOf } from './client-address.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is asked for by the dozen and costs nothing. Whoever asks has been counted for the page that names it. */
    isUncounted?: true
  }
  interface FastifyRequest {
    /** The IP address of the other end (client-address.ts). */
    address: string
    /** What the request takes from its windows; null before that, and for what is not counted. */
    rateWindows: RequestWindows | null
  }
}

/** What tells how an answer's windows stand, on every answer (contract, 12). */
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/**
 * Counts every request for its address, before anything else is done for it. One too many is refused later
 * (`refuseBeyondLimits`), when the answer has what lets a browser's script read it.
 */
export function countRequests(http: FastifyInstance, count: CountRequest): void {
  http.decorateRequest('address', '')
  http.decorateRequest('turns', null)
  http.addHook('onRequest', async (request, reply) => {
    const { url = '', config } = request.routeOptions
    if (url === READINESS) await count(request, reply, 'probe')
    else if (!PROBES.includes(url) && !config.isUncounted) await count(request, reply)
  })
}

/** Ends requests that were one too many. After CORS: preflights are counted and answered. */
export function refuseBeyondLimits(http: FastifyInstance): void {
  http.addHook('onRequest', async ({ rateWindows }) => rateWindows?.check())
}

/** Finds the address of a request, and counts it there: in the window for all requests, or in that for probes. */
export type CountRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  kind?: 'ip' | 'probe',
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
    await request.rateWindows.take({ kind, id: request.address })
    return request.rateWindows
  }

/** The turns that one request takes. Its answer shows the window with the least left. */
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
    const window = await this.#limits.take(key)
    if (window === null || (this.#worst && !isWorse(window, this.#worst))) return
    this.#worst = window
    const { limit, remaining, leftMs } = window
    const values = [limit, remaining, Math.ceil((Date.now() + leftMs) / 1000)]
    this.#reply.headers(Object.fromEntries(RATE_HEADERS.map((name, index) => [name, String(values[index])])))
  }

  /** Counts the request for whoever sends it, once however often it is asked. Throws rate.limited. */
  admit(id: string): Promise<void> {
    this.#admission ??= this.take({ kind: 'user', id }).then(() => this.check())
    return this.#admission
  }

  /** Throws rate.limited where a window has nothing left for this request. */
  check(): void {
    if (!this.#worst?.isOver) return
    this.#metrics.rateLimited.inc({ window: this.#worst.kind })
    throw tooMany(this.#worst)
  }
}

/** One that is over before one that is not; where both have nothing left, the one that stays so for longer. */
function isWorse(one: WindowState, other: WindowState): boolean {
  if (one.isOver !== other.isOver) return one.isOver
  return one.remaining === other.remaining ? one.leftMs > other.leftMs : one.remaining < other.remaining
}

function tooMany({ kind, limit, leftMs }: WindowState): Error {
  const retryAfter = Math.max(1, Math.ceil(leftMs / 1000))
  const rate = kind === 'user' ? `${limit} an hour from one user` : `${limit} a minute from one address`
  const wait = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`
  return fail('rate.limited', { rate, wait }, { retryAfter })
}
