import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '#config'
import type { EmbeddedDatabase } from '#database/embedded.ts'
import { ensureAdministrator, resetRequests } from '#parts/auth/index.ts'
import { discoverModels } from '#parts/llm/index.ts'
import type { Services } from '#platform/services.ts'
import type { Retention } from '#platform/sweeps/retention.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { watchStalls } from '#platform/telemetry/stall-watch.ts'
import { buildApp, type Overrides } from './app.ts'
import { claimPort, explained } from './claim-port.ts'
import { openServices } from './open-services.ts'
import { createRetention } from './retention.ts'
import { startSweeps } from './start-sweeps.ts'
import { type AnnounceStep, watchStart } from './start-watch.ts'

/** Grace period for replies and other streams in progress when the server shuts down. */
const STREAMS_GRACE_MS = 30_000
/** Grace period for other requests in progress, after streams have ended. */
const LAST_REQUESTS_MS = 1_500
/** Time from the signal to a forced exit, even if work is still running. */
const STOP_DEADLINE_MS = 45_000
/** Maximum number of connections waiting to be accepted. */
const BACKLOG = 2_048

export interface Server {
  services: Services
  /** Deletes old operational records periodically. */
  retention: Retention
  /** The URL that the server listens on, such as `http://127.0.0.1:3000`. */
  address: string
  /** The new administrator. Null if this start created none. */
  administrator: Awaited<ReturnType<typeof ensureAdministrator>>
  stop(): Promise<void>
}

/**
 * Starts the services of the process's role, and resolves once the server accepts requests. `starting` is an embedded
 * database that the caller is already starting.
 */
export function startServer(
  config: Config,
  starting?: Promise<EmbeddedDatabase>,
  overrides: Overrides = {},
): Promise<Server> {
  const log = createLog(config)
  return watchStart(
    (line) => log.warn(line),
    (announce) => start(config, { starting, overrides, announce }),
  )
}

interface StartOptions {
  starting: Promise<EmbeddedDatabase> | undefined
  overrides: Overrides
  announce: AnnounceStep
}

async function start(config: Config, { starting, overrides, announce }: StartOptions): Promise<Server> {
  const givePortBack = await claimPort(config)
  const { services, close } = await openServices(config, { starting, announce }, overrides)
  const endWatch = watchStalls((stall) => services.stalls.report(stall), {
    logs: services.log.isLevelEnabled('warn'),
  })
  const [servesClients, worksInBackground] = [config.role !== 'worker', config.role !== 'api']
  announce('the administrator')
  const administrator = await ensureAdministrator(services)
  const discovery = discoverModels(services)
  const app = await buildApp(services, overrides)
  const { ingestion, evaluationRuns, contentsEraser } = app.knowledge
  announce('the job queue')
  const queues = [...ingestion.queues, ...evaluationRuns.queues]
  await services.jobs.start(
    [services.mail.queue, resetRequests(services), ...queues],
    config.retentionDays.jobs,
  )
  await app.chat.start(() => announce('replies that a killed process left'))
  announce('the catalogue of MCP servers')
  await app.mcp.start()
  const retention = createRetention(services)
  const endSweeps = worksInBackground ? startSweeps(services, app, retention) : () => {}
  announce(`port ${config.port}`)
  await givePortBack()
  await explained(config, () => app.http.listen({ port: config.port, host: config.host, backlog: BACKLOG }))
  if (servesClients) app.console.start()
  return {
    services,
    retention,
    address: addressOf(app.http.server.address() as AddressInfo),
    administrator,
    async stop() {
      services.draining.begin()
      services.database.announceClose()
      endSweeps()
      const evaluated = evaluationRuns.stop()
      await Promise.all([
        app.chat.drain(overrides.streamsGraceMs ?? STREAMS_GRACE_MS, evaluated),
        ingestion.stop(),
        contentsEraser.stop(),
        evaluated,
        app.webhooks.sender.stop(),
        app.console.stop(),
        retention.stop(),
      ])
      const closed = app.http.close()
      await Promise.all([services.events.stop(), endConnections(app.http.server, closed)])
      await Promise.all([app.chat.stop(), discovery, app.dataRights.eraser.stop()])
      await app.mcp.close()
      await services.jobs.stop()
      endWatch()
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

const addressOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/**
 * Stops the server on SIGTERM and SIGINT. First, replies end or are marked as interrupted; then connections are
 * closed, and finally the database. A second signal ends the process at once.
 */
export function stopOnSignals(server: Server): void {
  const stop = createStop(server)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}

/** Returns a function whose first call stops the server and then the process, and whose second call exits at once. */
export function createStop(server: Server): () => void {
  let isStopping = false
  return () => {
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        server.services.log.fatal({ err: error }, 'the server did not shut down cleanly')
        process.exit(1)
      },
    )
  }
}
