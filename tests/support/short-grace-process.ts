import { readConfig } from '#config'
import { startServer, stopOnSignals } from '../../server/main.ts'

/** Runs a server in a separate process, with a short grace period for streams. */

stopOnSignals(await startServer(readConfig(process.env), undefined, { streamsGraceMs: 500 }))
