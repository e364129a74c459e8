import type { FastifyInstance, FastifyRequest } from 'fastify'
import { asLook } from '#database/looks.ts'
import { systemSql } from '#database/system-sql.ts'
import { AppError, fail, sentence } from '#errors'
import { knowsSecret } from '#platform/secrets/known-secret.ts'
import { loadSecrets, type SecretPair, sameText } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { inTime } from './in-time.ts'
import { observeAtScrape } from './scrapes.ts'

/** A dependency that does not respond within this time counts as unavailable. */
const CHECK_TIMEOUT_MS = 2_000
/** Time for which callers share one result. Limits the load on dependencies. */
const RESULT_KEPT_MS = 1_000
export const READINESS = '/readyz'
/** Routes that are excluded from tracing and from the general rate limits. READINESS has a rate limit of its own. */
export const PROBES = ['/healthz', READINESS, '/metrics']
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])
/** Headers that only proxies add. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/**
 * Registers /healthz (the process is alive), /readyz (the process can serve requests and is not shutting down) and
 * /metrics (for Prometheus).
 * Without METRICS_TOKEN, /metrics is available only from loopback addresses.
 */
export function registerHealth(app: FastifyInstance, services: Services): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  const pair = loadSecrets(services.config)
  const checkDependencies = shared(() => askDependencies(services, pair), RESULT_KEPT_MS)
  app.get(READINESS, async () => {
    services.draining.refuse()
    await checkDependencies()
    return { status: 'ready' }
  })
  const refreshGauges = observeAtScrape(services)
  app.get('/metrics', async (request, reply) => {
    if (!maySeeMetrics(request, services.config.metricsToken)) throw refusalOf(services.config.metricsToken)
    await refreshGauges()
    return reply.type(services.metrics.registry.contentType).send(await services.metrics.registry.metrics())
  })
}

async function askDependencies(services: Services, pair: SecretPair): Promise<void> {
  const { database, storage, redis, disks } = services
  // A full disk makes other checks fail, too.
  await disks.check()
  let isOurs = true
  const checks: Record<string, () => Promise<unknown>> = {
    database: async () => {
      isOurs = await asLook(() => knowsSecret(systemSql(database), pair))
    },
    storage: () => storage.check(),
  }
  if (redis) checks['redis'] = () => redis.check()
  await Promise.all(Object.entries(checks).map(([name, check]) => answersInTime(name, check)))
  if (!isOurs) throw fail('server.unavailable', { reason: sentence('health.other_secret') })
}

/** Returns a function that never runs `check` concurrently. Calls within `keptMs` share the result or the failure. */
function shared(check: () => Promise<void>, keptMs: number): () => Promise<void> {
  let current: Promise<void> | undefined
  let endedAt = 0
  return () => {
    const isOld = endedAt > 0 && performance.now() - endedAt >= keptMs
    if (current && !isOld) return current
    endedAt = 0
    const running = check().finally(() => {
      endedAt = performance.now()
    })
    current = running
    return running
  }
}

async function answersInTime(name: string, check: () => Promise<unknown>): Promise<void> {
  try {
    await inTime(CHECK_TIMEOUT_MS, check)
  } catch (cause) {
    if (isExplained(cause)) throw cause
    throw fail('server.unavailable', { reason: sentence('health.no_answer', { name }) }, { cause })
  }
}

/** Full memory and full disks have a reason that no look at the process would show. */
const isExplained = (error: unknown): boolean =>
  error instanceof AppError && [sentence('redis.full'), sentence('storage.disk_full')].includes(error.message)

/** Without a token, nobody outside needs to know of the endpoint. With one, a scraper with another token has to. */
const refusalOf = (token: string | null): AppError =>
  token === null
    ? fail('request.not_found', { method: 'GET', path: '/metrics' })
    : fail('health.metrics_token')

/**
 * Returns whether the client has the token. Without a configured token, only local clients are allowed. They are
 * identified by the socket's address, and a forwarded request never counts as local.
 */
function maySeeMetrics(request: FastifyRequest, token: string | null): boolean {
  const isForwarded = FORWARDED.some((name) => request.headers[name] !== undefined)
  if (token === null) return !isForwarded && LOOPBACK.has(request.socket.remoteAddress ?? '')
  return sameText(request.headers.authorization ?? '', `Bearer ${token}`)
}
