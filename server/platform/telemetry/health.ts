import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '#errors'
import type { Rooms } from '#platform/rooms.ts'
import { sameText } from '#platform/secrets/secrets.ts'
import { observeAtScrape } from './scrapes.ts'

/** A dependency that does not answer within this time counts as away. */
const CHECK_TIMEOUT_MS = 2_000
/** What machines of the operator ask for, and as often as those like: neither counted nor traced. */
export const PROBES = ['/healthz', '/readyz', '/metrics']
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])
/** What proxies add to what they pass on. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** /healthz: the process lives. /readyz: it can serve. /metrics: for Prometheus, on loopback or with the token. */
export function registerHealth(app: FastifyInstance, rooms: Rooms): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    const checks: Record<string, () => Promise<unknown>> = {
      database: () => rooms.database.sql`select 1`,
      storage: () => rooms.storage.check(),
    }
    const { redis } = rooms
    if (redis) checks['redis'] = () => redis.check()
    await Promise.all(Object.entries(checks).map(([name, check]) => answersInTime(name, check)))
    return { status: 'ready' }
  })
  const refreshGauges = observeAtScrape(rooms)
  app.get('/metrics', async (request, reply) => {
    if (!maySeeMetrics(request, rooms.config.metricsToken))
      throw fail('request.not_found', { method: 'GET', path: '/metrics' })
    await refreshGauges()
    return reply.type(rooms.metrics.registry.contentType).send(await rooms.metrics.registry.metrics())
  })
}

async function answersInTime(name: string, check: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS)
  })
  try {
    await Promise.race([check(), late])
  } catch (cause) {
    throw fail('server.unavailable', { reason: `The ${name} does not answer` }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** The socket's own address counts here, whatever a proxy says; but who comes by way of one is not on this machine. */
function maySeeMetrics(request: FastifyRequest, token: string | null): boolean {
  const isForwarded = FORWARDED.some((name) => request.headers[name] !== undefined)
  if (token === null) return !isForwarded && LOOPBACK.has(request.socket.remoteAddress ?? '')
  return sameText(request.headers.authorization ?? '', `Bearer ${token}`)
}
