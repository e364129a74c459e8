import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcp, type Mcp } from '#parts/mcp/index.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * Providers that rotate refresh tokens end the whole connection when one is used twice. Two processes on one database
 * share connections here, and so do all calls within each.
 */

const ROUNDS = 100
const CALLS = 20

let server: TestServer
let second: TestServer
beforeAll(async () => {
  server = await startTestServer()
  second = server.server.rooms.database.embedded ? server : await startTestServer(server.environment)
})
afterAll(async () => {
  if (second !== server) await second.stop()
  await server.stop()
})

/** One process's way to an instance. */
interface Caller {
  call(): Promise<string>
  close(): Promise<void>
}

async function callerOf({ server: { rooms } }: TestServer, userId: string, id: string): Promise<Caller> {
  const mcp: Mcp = createMcp(rooms)
  const connections = new McpConnections(rooms.net, rooms.log)
  const signal = AbortSignal.timeout(120_000)
  const [instance] = await mcp.findInstances(userId, null, [id])
  if (!instance) throw new Error('the instance can not be used')
  return {
    async call() {
      const connection = await connections.open(instance.endpoint, signal)
      const { output } = await connection.callTool('echo', { text: 'hello' }, { signal })
      return String(output)
    },
    async close() {
      await connections.close()
      await mcp.close()
    },
  }
}

interface Stage {
  provider: AuthorizedMcpServer
  connector: Connector
  id: string
  here: Caller
  there: Caller
  expire(): Promise<void>
  version(): Promise<number>
  close(): Promise<void>
}

async function makeStage(options: Parameters<typeof startAuthorizedMcpServer>[0] = {}): Promise<Stage> {
  const provider = await startAuthorizedMcpServer(options)
  const connector = await mcpConnector(server)
  const id = await connector.connect(await connector.addServer(provider.url, { type: 'oauth' }), provider.consent)
  const { sql } = server.server.rooms.database
  const [here, there] = await Promise.all(
    [server, second].map((one) => callerOf(one, connector.person.userId, id)),
  )
  if (!here || !there) throw new Error('nobody can call')
  return {
    provider,
    connector,
    id,
    here,
    there,
    async expire() {
      await sql`update mcp_instances set expires_at = now() - interval '1 second' where id = ${id}`
    },
    async version() {
      const [row] = await sql`select credentials_version as version from mcp_instances where id = ${id}`
      return row?.['version']
    },
    async close() {
      await Promise.all([here.close(), there.close()])
      await provider.close()
    },
  }
}

describe('a token that has ended', () => {
  test(`is renewed once, ${ROUNDS} times, for ${CALLS} calls in each of two processes`, async () => {
    const { provider, here, there, expire, close } = await makeStage()
    await Promise.all([here.call(), there.call()])
    for (let round = 1; round <= ROUNDS; round++) {
      // Known by its time, by the server's 401, or by both.
      if (round % 3 !== 0) await expire()
      if (round % 3 !== 1) provider.endAccessTokens()
      const said = await Promise.all(
        [here, there].flatMap((caller) => Array.from({ length: CALLS }, () => caller.call())),
      )
      expect(said).toEqual(Array(2 * CALLS).fill('hello'))
      expect([provider.counts.refreshes, provider.counts.reuses]).toEqual([round, 0])
    }
    await close()
  }, 60_000)
})
