import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '#config'
import { connectDatabase } from '#database/connect.ts'
import type { EmbeddedDatabase } from '#database/embedded.ts'
import { traceGroups } from '#database/grouped.ts'
import { ensureAdministrator, resetRequests, startAuthSweep } from '#parts/auth/index.ts'
import { discoverModels } from '#parts/llm/index.ts'
import { createAccess } from '#platform/access/access.ts'
import { createAccessTokens } from '#platform/access/access-tokens.ts'
import { createAudiences } from '#platform/access/audience.ts'
import { createDocuments } from '#platform/documents/documents.ts'
import { createEvents } from '#platform/events/events.ts'
import { createIdempotency } from '#platform/idempotency/idempotency.ts'
import { startInstance } from '#platform/instance/instance.ts'
import { createJobs } from '#platform/jobs/jobs.ts'
import { createLedger } from '#platform/ledger/ledger.ts'
import { RateLimits } from '#platform/limits/rate-limits.ts'
import { createMail } from '#platform/mail/mail.ts'
import { createModels } from '#platform/models/index.ts'
import { createNet } from '#platform/net/index.ts'
import type { Redis } from '#platform/redis/redis.ts'
import { createSandbox } from '#platform/sandbox/sandbox.ts'
import { createPasswords } from '#platform/secrets/passwords.ts'
import { createSecrets, loadSecrets } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { createUploads } from '#platform/storage/uploads.ts'
import { createSharedLogs } from '#platform/streams/shared-logs.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { createMetrics } from '#platform/telemetry/metrics.ts'
import { openTracing } from '#platform/telemetry/tracing.ts'
import { traceStatements } from '#platform/telemetry/watch-database.ts'
import { watchModels } from '#platform/telemetry/watch-models.ts'
import { buildApp, type Overrides } from './app.ts'
import { TABLES } from './tables.ts'

/** Grace period for replies in progress when the server shuts down. */
const STOP_GRACE_MS = 5_000
/** Grace period for other requests in progress, after replies have ended. */
const LAST_REQUESTS_MS = 1_500
/** Time from the signal to a forced exit, even if work is still running. */
const STOP_DEADLINE_MS = 10_000
/** Maximum number of connections waiting to be accepted. */
const BACKLOG = 2_048

export interface Server {
  services: Services
  /** The URL that the server listens on, such as `http://127.0.0.1:3000`. */
  address: string
  /** The new administrator. Null if this start created none. */
  administrator: Awaited<ReturnType<typeof ensureAdministrator>>
  stop(): Promise<void>
}

/**
 * Starts all services, and resolves once the server accepts requests. `starting` is an embedded database that the
 * caller is already starting.
 */
export async function startServer(
  config: Config,
  starting?: Promise<EmbeddedDatabase>,
  overrides?: Overrides,
): Promise<Server> {
  const { services, close } = await openServices(config, starting, overrides)
  const administrator = await ensureAdministrator(services)
  const discovery = discoverModels(services)
  const app = await buildApp(services, overrides)
  const { ingestion, evaluationRuns } = app.knowledge
  const queues = [...ingestion.queues, ...evaluationRuns.queues]
  await services.jobs.start([services.mail.queue, resetRequests(services), ...queues])
  await app.chat.start()
  ingestion.start()
  evaluationRuns.start()
  await app.mcp.start()
  app.webhooks.sender.start()
  const endAuthSweep = startAuthSweep(services)
  const endUploadSweeps = services.uploads.startSweeps(services.log)
  app.dataRights.eraser.start()
  const endMcpServerSweep = app.mcpServer.startSweep()
  const endRepeatsSweep = services.idempotency.startSweep()
  await app.http.listen({ port: config.port, host: config.host, backlog: BACKLOG })
  app.console.start()
  return {
    services,
    address: addressOf(app.http.server.address() as AddressInfo),
    administrator,
    async stop() {
      services.database.announceClose()
      endAuthSweep()
      endUploadSweeps()
      endMcpServerSweep()
      endRepeatsSweep()
      const closed = app.http.close()
      const evaluated = evaluationRuns.stop()
      await Promise.all([
        app.chat.stop(STOP_GRACE_MS, evaluated),
        ingestion.stop(),
        evaluated,
        app.webhooks.sender.stop(),
        app.console.stop(),
      ])
      await Promise.all([services.events.stop(), endConnections(app.http.server, closed)])
      await Promise.all([discovery, app.dataRights.eraser.stop()])
      await app.mcp.close()
      await services.jobs.stop()
      await close()
    },
  }
}

/**
 * Closes idle keep-alive connections while requests finish. After a timeout, closes the remaining connections. Call
 * it once all streams have ended.
 */
async function endConnections(server: HttpServer, closed: Promise<unknown>): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const all = setTimeout(() => server.closeAllConnections(), LAST_REQUESTS_MS)
  await closed
  clearInterval(idle)
  clearTimeout(all)
}

/** Opens the database, then creates the services that the parts use. */
async function openServices(
  config: Config,
  starting: Promise<EmbeddedDatabase> | undefined,
  { passwords = createPasswords(), connectionsMax, sandboxBounds }: Overrides = {},
): Promise<{ services: Services; close: () => Promise<void> }> {
  const tracing = await openTracing(config, createLog(config))
  const log = createLog(config, tracing)
  const watch = tracing && traceStatements(tracing)
  if (tracing) traceGroups(tracing.groups)
  const database = await connectDatabase({ ...config, starting, watch, connectionsMax })
  const pair = loadSecrets(config)
  const instance = await startInstance(database, log)
  const net = createNet({ allowPrivateNetwork: config.allowPrivateNetwork })
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, log)
  const secrets = createSecrets(pair.current, pair.previous)
  const storage = createStorage(config, pair, net)
  const jobs = createJobs(database, log, tracing)
  const metrics = createMetrics()
  const documents = createDocuments(log)
  const services: Services = {
    config,
    log,
    database,
    instance,
    tokens: await createAccessTokens(pair, config.baseUrl),
    access: createAccess(database, TABLES),
    tables: TABLES,
    secrets,
    passwords,
    idempotency: createIdempotency({ database, secrets, instance, log }),
    ledger: createLedger(database, instance.id),
    net,
    models: createModels({ net, watch: watchModels(metrics, tracing), durationOf: documents.durationOf }),
    jobs,
    mail: createMail({ database, config, jobs, secrets, log }),
    storage,
    uploads: createUploads(database, storage, config.dataDir),
    redis,
    rateLimits: new RateLimits(config.rateLimits, { redis, log }),
    events: await createEvents({ findAudiences: createAudiences(database), redis, instance, metrics, log }),
    sharedLogs: redis && createSharedLogs(redis, log),
    metrics,
    tracing,
    documents,
    sandbox: createSandbox({ net, log, dataDir: config.dataDir }, sandboxBounds),
  }
  return {
    services,
    async close() {
      await services.idempotency.close()
      await Promise.all([services.documents.close(), services.sandbox.close()])
      await instance.stop()
      await redis?.close()
      await net.close()
      await database.close()
      traceGroups(null)
      await tracing?.stop()
    },
  }
}

/**
 * Connects to Redis. Imports the client on demand, because loading it takes 100 ms and most installations don't use
 * Redis.
 */
async function openRedis(redisUrl: string, log: Services['log']): Promise<Redis> {
  const { connectRedis } = await import('#platform/redis/redis.ts')
  return connectRedis(redisUrl, log)
}

const addressOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/**
 * Stops the server on SIGTERM and SIGINT. First, replies end or are marked as interrupted; then connections are
 * closed, and finally the database.
 */
export function stopOnSignals(server: Server): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
      server.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          server.services.log.fatal({ err: error }, 'the server did not shut down cleanly')
          process.exit(1)
        },
      )
    })
}
