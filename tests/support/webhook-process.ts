import { readConfig } from '#config'
import { startServer, stopOnSignals } from '../../server/main.ts'

/** Runs a server in a separate process, with short webhook timeouts. */

const webhookTimes = {
  timeoutMs: 1_000,
  claimMarginMs: 500,
  retryDelaysMs: [50, 100, 500, 1_000, 2_000, 4_000],
  pollMs: 50,
}
stopOnSignals(await startServer(readConfig(process.env), undefined, { webhookTimes }))
