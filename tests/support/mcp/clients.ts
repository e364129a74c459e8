import {
  Client as ClientNow,
  StreamableHTTPClientTransport as TransportNow,
} from '@modelcontextprotocol/client'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'

/**
 * Official clients to test with: one of SDK 1, and one of SDK 2 in two modes. `SDK 2, older` uses its mode for older
 * servers.
 */
export const CLIENT_KINDS = ['SDK 1', 'SDK 2, older', 'SDK 2, any'] as const
export type ClientKind = (typeof CLIENT_KINDS)[number]

const CLIENT_INFO = { name: 'test', version: '1' }

/**
 * Connects a client of either SDK, with a bearer token if there is one, and completes the handshake. The returned
 * client has the type of SDK 1.
 */
export async function connectClient(kind: ClientKind, url: string | URL, token?: string): Promise<Client> {
  const target = new URL(url)
  const options = { requestInit: { headers: token ? { authorization: `Bearer ${token}` } : {} } }
  if (kind === 'SDK 1') {
    const client = new Client(CLIENT_INFO)
    await client.connect(new StreamableHTTPClientTransport(target, options) as never)
    return client
  }
  const mode = kind === 'SDK 2, any' ? 'auto' : 'legacy'
  const client = new ClientNow(CLIENT_INFO, { versionNegotiation: { mode } })
  await client.connect(new TransportNow(target, options))
  // Adapts `callTool`, which has no schema parameter in SDK 2.
  const callTool: ClientNow['callTool'] = client.callTool.bind(client)
  const calling = { callTool: (params: never, _schema: unknown, options: never) => callTool(params, options) }
  return Object.assign(client, calling) as unknown as Client
}
