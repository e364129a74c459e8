import { join } from 'node:path'
import { findFreePort } from '../tests/support/free-port.ts'
import { startNode } from './processes.ts'

const PROVIDER = join(import.meta.dirname, '../tests/support/provider/main.ts')

/** Starts the emulated provider in its own process. Its log is written to `folder`. */
export async function startProvider(
  folder: string,
  script = PROVIDER,
): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await findFreePort()
  const provider = startNode([script], {
    environment: { PORT: String(port) },
    logFile: join(folder, 'provider.log'),
  })
  const url = `http://127.0.0.1:${port}`
  await provider.ready(`${url}/v1/models`)
  return { url, stop: () => provider.stop() }
}
