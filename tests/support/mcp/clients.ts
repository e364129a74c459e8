import {
  Client as ClientNow,
  StreamableHTTPClientTransport as TransportNow,
} from '@modelcontextprotocol/client'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'

/** The official clients of both SDKs. SDK 2 is also tested in its mode for older servers. */
export const CLIENT_KINDS = ['SDK 1', 'SDK 2, older', 'SDK 2, any'] as const
export type ClientKind = (typeof CLIENT_KINDS)[number]

const ITS_NAME = { name: 'test', version: '1' }

/** Connects a client and completes the handshake. Returns either SDK's client with the type of SDK 1. */
export async function connectClient(kind: ClientKind, url: string | URL): Promise<Client> {
  const target = new URL(url)
  if (kind === 'SDK 1') {
    const client = new Client(ITS_NAME)
    await client.connect(new StreamableHTTPClientTransport(target) as never)
    return client
  }
  const mode = kind === 'SDK 2, any' ? 'auto' : 'legacy'
  const client = new ClientNow(ITS_NAME, { versionNegotiation: { mode } })
  await client.connect(new TransportNow(target))
  // SDK 2 has no schema parameter between a call and its options.
  const callTool: ClientNow['callTool'] = client.callTool.bind(client)
  const calling = { callTool: (params: never, _schema: unknown, options: never) => callTool(params, options) }
  return Object.assign(client, calling) as unknown as Client
}
