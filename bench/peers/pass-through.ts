import { join } from 'node:path'
import { findFreePort } from '../../tests/support/free-port.ts'
import { startNode } from '../processes.ts'
import { chatCompletion, type Peer, type PeerOptions } from './peer.ts'

/** The minimum for a server in Node: it forwards bytes without parsing them. */
export async function startPassThrough({ providerUrl, folder }: PeerOptions): Promise<Peer> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const server = startNode([join(import.meta.dirname, 'pass-through-server.ts')], {
    environment: { PORT: String(port), PROVIDER_URL: providerUrl },
    logFile: join(folder, 'pass-through.log'),
  })
  await server.ready(`${url}/v1/models`)
  return {
    name: 'pass-through',
    pids: [server.pid],
    target: async (current) => chatCompletion(url, current),
    stop: () => server.stop(),
  }
}
