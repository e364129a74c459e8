import { describe, expect, onTestFinished, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { startMcpServer } from '#tests/support/mcp/index.ts'
import { McpConnections, type McpEndpoint } from './connection.ts'

const FOREVER = new AbortController().signal
const CHALLENGE = 'Bearer error="invalid_token", resource_metadata="https://tools.example/metadata"'

/** Starts a server that accepts one token, which the test can change. */
async function startGuarded(kind: 'stateless' | 'sessionful' | 'sse', known = { token: 'first' }) {
  const server = await startMcpServer({
    kind,
    before(request, response) {
      if (request.headers.authorization === `Bearer ${known.token}`) return false
      response.writeHead(401, { 'www-authenticate': CHALLENGE }).end()
      return true
    },
  })
  onTestFinished(() => server.close())
  return { server, known }
}

function client() {
  const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }))
  onTestFinished(async () => {
    await connections.close()
    await net.close()
  })
  return connections
}

const endpointOf = (url: string, proof: Pick<McpEndpoint, 'headers' | 'renew'>): McpEndpoint => ({
  key: 'a',
  url,
  net: 'guarded',
  ...proof,
})

describe.each(['stateless', 'sessionful', 'sse'] as const)('a %s server', (kind) => {
  test('gets renewed credentials after it refuses the old ones', async () => {
    const { server, known } = await startGuarded(kind)
    let token = 'first'
    const refused: unknown[] = []
    const endpoint = endpointOf(server.url, {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      async renew(headers) {
        refused.push(headers)
        token = 'second'
        return true
      },
    })
    const connection = await client().open(endpoint, FOREVER)
    known.token = 'second'
    expect((await connection.callTool('echo', { text: 'a' }, { signal: FOREVER })).output).toBe('a')
    // The connection's subscription may be refused too.
    expect(refused).not.toEqual([])
    for (const headers of refused) expect(headers).toEqual({ authorization: 'Bearer first' })
  })

  test('that refuses the credentials fails with its challenge', async () => {
    const { server } = await startGuarded(kind)
    const headers = async () => ({ authorization: 'Bearer wrong' })
    await expect(client().open(endpointOf(server.url, { headers }), FOREVER)).rejects.toMatchObject({
      kind: 'unauthorized',
      challenge: CHALLENGE,
    })
  })

  test('that refuses renewed credentials is not asked a third time', async () => {
    const { server, known } = await startGuarded(kind)
    const connection = await client().open(
      endpointOf(server.url, {
        headers: async () => ({ authorization: 'Bearer first' }),
        renew: async () => true,
      }),
      FOREVER,
    )
    known.token = 'other'
    server.seen.length = 0
    await expect(connection.callTool('echo', { text: 'a' }, { signal: FOREVER })).rejects.toMatchObject({
      kind: 'unauthorized',
    })
    expect(server.seen.filter(({ message }) => message === 'tools/call')).toHaveLength(2)
  })
})

test('a server that needs more scopes names them', async () => {
  const server = await startMcpServer({
    before(_request, response, message) {
      if (message !== 'tools/call') return false
      const challenge = 'Bearer error="insufficient_scope", scope="files:write files:read"'
      response.writeHead(403, { 'www-authenticate': challenge }).end()
      return true
    },
  })
  onTestFinished(() => server.close())
  const connection = await client().open(endpointOf(server.url, { headers: async () => ({}) }), FOREVER)
  await expect(connection.callTool('echo', {}, { signal: FOREVER })).rejects.toMatchObject({
    kind: 'insufficient_scope',
    scope: 'files:write files:read',
  })
})

test('an error while reading credentials is passed on unchanged', async () => {
  const server = await startMcpServer()
  onTestFinished(() => server.close())
  let fails = false
  const endpoint = endpointOf(server.url, {
    async headers() {
      if (fails) throw new RangeError('the key is lost')
      return {}
    },
  })
  const connection = await client().open(endpoint, FOREVER)
  fails = true
  await expect(connection.callTool('echo', {}, { signal: FOREVER })).rejects.toThrow(RangeError)
})
