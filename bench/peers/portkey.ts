import { join } from 'node:path'
import { findFreePort } from '../../tests/support/free-port.ts'
import { startNode } from '../processes.ts'
import { chatCompletion, type Peer, type PeerOptions } from './peer.ts'

/**
 * Portkey's open-source gateway, started as its package starts it, but without its log page. Its streams fail with
 * every @hono/node-server after 1.14.1 (Portkey-AI/gateway#1389), so package.json pins that version. It waits 25 ms
 * after the first event of each stream, which is most of the time that it adds to a single stream.
 */
export async function startPortkey({ providerUrl, folder }: PeerOptions): Promise<Peer> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const program = join(import.meta.dirname, '../node_modules/@portkey-ai/gateway/build/start-server.js')
  const server = startNode([program, '--headless', `--port=${port}`], {
    environment: {},
    logFile: join(folder, 'portkey.log'),
  })
  await server.ready(url)
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${providerUrl}/v1` }
  return {
    name: 'portkey',
    pids: [server.pid],
    target: async (current) => chatCompletion(url, current, headers),
    stop: () => server.stop(),
  }
}
