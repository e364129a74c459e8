import { type Config, ConfigError } from '#config'
import { connectDatabase } from '#database/connect.ts'
import type { EmbeddedDatabase } from '#database/embedded.ts'
import { traceGroups } from '#database/grouped.ts'
import { createAccess } from '#platform/access/access.ts'
import { createAccessTokens } from '#platform/access/access-tokens.ts'
import { createAudiences } from '#platform/access/audience.ts'
import { createDocuments } from '#platform/documents/documents.ts'
import { createEvents } from '#platform/events/events.ts'
import { Draining } from '#platform/http/draining.ts'
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
import { claimSecret, explainOtherSecret } from '#platform/secrets/known-secret.ts'
import { createPasswords } from '#platform/secrets/passwords.ts'
import { createSecrets, loadSecrets } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { Disks } from '#platform/storage/disks.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { createUploads } from '#platform/storage/uploads.ts'
import { createSharedLogs } from '#platform/streams/shared-logs.ts'
import { Activity } from '#platform/sweeps/activity.ts'
import { Pacer } from '#platform/sweeps/pacer.ts'
import { Sweeps } from '#platform/sweeps/sweeps.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { createMetrics } from '#platform/telemetry/metrics.ts'
import { Stalls } from '#platform/telemetry/stalls.ts'
import { openTracing } from '#platform/telemetry/tracing.ts'
import { traceStatements } from '#platform/telemetry/watch-database.ts'
import { watchModels } from '#platform/telemetry/watch-models.ts'
import { threads } from '#platform/threads/threads.ts'
import type { Overrides } from './app.ts'
import type { AnnounceStep } from './start-watch.ts'
import { TABLES } from './tables.ts'

const WITHOUT_TIMEOUT =
  'DATABASE_URL leads to a connection pooler without a limit for the time of statements; add ' +
  "connect_query='set statement_timeout = 30000' to the database's line in pgbouncer.ini"
const WITHOUT_REDIS =
  'REDIS_URL is not set, and other processes use this database: each process counts rate limits separately and has ' +
  'its own playground memory, a reply can be resumed only at the process that writes it, and live events reach only ' +
  'clients of the process where the change happened'

/** Opens the database, then creates the services that the parts use. */
export async function openServices(
  config: Config,
  { starting, announce }: { starting: Promise<EmbeddedDatabase> | undefined; announce: AnnounceStep },
  { passwords = createPasswords(), connectionsMax, sandboxBounds, modelTimeouts }: Overrides = {},
): Promise<{ services: Services; close: () => Promise<void> }> {
  const tracing = await openTracing(config, createLog(config))
  const log = createLog(config, tracing)
  const watch = tracing && traceStatements(tracing)
  if (tracing) traceGroups(tracing.groups)
  const database = await connectDatabase({
    ...config,
    starting,
    watch,
    connectionsMax,
    announce,
    report: (line) => log.error(line),
  })
  announce('the list of processes in the database')
  const pair = loadSecrets(config)
  if (!(await claimSecret(database.sql, pair))) {
    await database.close()
    throw new ConfigError(explainOtherSecret(config))
  }
  const activity = new Activity(database)
  const instance = await startInstance(database, activity, log)
  if (!database.limitsStatements) log.warn(WITHOUT_TIMEOUT)
  if (config.redisUrl === null && (config.role !== 'all' || instance.others > 0)) log.warn(WITHOUT_REDIS)
  const net = createNet(config)
  announce('Redis')
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, log)
  const secrets = createSecrets(pair.current, pair.previous)
  const storage = createStorage(config, pair, net)
  const disks = new Disks(config, log)
  const endDiskWatch = disks.watch()
  const sweeps = new Sweeps(activity, log)
  const jobs = createJobs({ database, sweeps: config.role === 'api' ? null : sweeps, log, tracing })
  const pacer = new Pacer()
  const metrics = createMetrics()
  const documents = createDocuments(log)
  const services: Services = {
    config,
    log,
    database,
    instance,
    draining: new Draining(),
    tokens: await createAccessTokens(pair, config.baseUrl),
    access: createAccess(database, TABLES),
    tables: TABLES,
    secrets,
    passwords,
    idempotency: createIdempotency({ database, secrets, instance, log }),
    ledger: createLedger(database, instance.id),
    net,
    models: createModels({
      net,
      log,
      timeouts: modelTimeouts,
      watch: watchModels(metrics, tracing),
      durationOf: documents.durationOf,
      pacer,
    }),
    sweeps,
    pacer,
    jobs,
    mail: createMail({ database, config, jobs, secrets, log }),
    storage,
    disks,
    uploads: createUploads({ database, storage, pacer, dataDir: config.dataDir }),
    redis,
    rateLimits: new RateLimits(config.rateLimits, { redis, log }),
    events: await createEvents({ findAudiences: createAudiences(database), redis, instance, metrics, log }),
    sharedLogs: redis && createSharedLogs(redis, log),
    metrics,
    stalls: new Stalls(log, metrics),
    tracing,
    documents,
    sandbox: createSandbox({ net, log, dataDir: config.dataDir }, sandboxBounds),
  }
  return {
    services,
    async close() {
      endDiskWatch()
      await services.idempotency.close()
      await services.sharedLogs?.close()
      await Promise.all([services.documents.close(), services.sandbox.close(), threads.end()])
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
