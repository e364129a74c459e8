import { join } from 'node:path'
import { findFreePort } from '../../tests/support/free-port.ts'
import type { Target } from '../load.ts'
import { startNode } from '../processes.ts'
import type { Case, Peer, PeerOptions } from './peer.ts'

/**
 * Starts a script of this folder as a server. The script reads PORT and PROVIDER_URL from its environment, and answers
 * `GET /v1/models` once it is ready.
 */
export async function startScript(
  name: string,
  targetOf: (baseUrl: string, current: Case) => Target,
  { providerUrl, folder }: PeerOptions,
): Promise<Peer> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const server = startNode([join(import.meta.dirname, `${name}-server.ts`)], {
    environment: { PORT: String(port), PROVIDER_URL: providerUrl },
    logFile: join(folder, `${name}.log`),
  })
  await server.ready(`${url}/v1/models`)
  return {
    name,
    pids: [server.pid],
    target: async (current) => targetOf(url, current),
    stop: () => server.stop(),
  }
}
