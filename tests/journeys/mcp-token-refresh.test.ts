import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcp, type Mcp } from '#parts/mcp/index.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { createSecrets } from '#platform/secrets/secrets.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * Providers that rotate refresh tokens revoke the whole connection if one is reused. Here two processes, and all
 * calls within each, share connections on one database.
 */

/** Concurrent accounts, and rounds for each: 100 refreshes in total. */
const ASKS = { accounts: 4, rounds: 25 }
const CALL_ROUNDS = 6
const CALLS = 20
/** The status of a GET request with a valid token, because the server doesn't support GET. */
const ADMITTED = 405

let server: TestServer
let second: TestServer
beforeAll(async () => {
  server = await startTestServer()
  second = server.server.services.database.embedded ? server : await startTestServer(server.environment)
})
afterAll(async () => {
  if (second !== server) await second.stop()
  await server.stop()
})

/** The access of one process to an instance. */
interface Caller {
  /** Sends one request through a connection, without the MCP layer. Returns its status. */
  ask(): Promise<number>
  call(): Promise<string>
  close(): Promise<void>
}

async function callerOf({ server: { services } }: TestServer, userId: string, id: string): Promise<Caller> {
  const mcp: Mcp = createMcp(services)
  const connections = new McpConnections(services.net, services.log)
  const signal = AbortSignal.timeout(120_000)
  const [instance] = await mcp.findInstances(userId, null, [id])
  if (!instance) throw new Error('the instance can not be used')
  const { endpoint } = instance
  return {
    async ask() {
      const request = async (headers: Record<string, string>) => {
        const answer = await fetch(endpoint.url, { headers })
        await answer.arrayBuffer()
        return answer.status
      }
      const headers = await endpoint.headers()
      const status = await request(headers)
      if (status !== 401) return status
      await endpoint.renew?.(headers)
      return request(await endpoint.headers())
    },
    async call() {
      const connection = await connections.open(endpoint, signal)
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
  const id = await connector.connect(
    await connector.addServer(provider.url, { type: 'oauth' }),
    provider.consent,
  )
  const { sql } = server.server.services.database
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

describe('an expired token is refreshed once', () => {
  /**
   * Ends the access tokens. Depending on the round, clients notice by the expiry time, by the server's 401, or by both.
   */
  const end = async ({ provider, expire }: Stage, round: number): Promise<void> => {
    if (round % 3 !== 0) await expire()
    if (round % 3 !== 1) provider.endAccessTokens()
  }
  const inBoth = <Result>({ here, there }: Stage, work: (caller: Caller) => Promise<Result>) =>
    Promise.all([here, there].flatMap((caller) => Array.from({ length: CALLS }, () => work(caller))))

  async function askAgainAndAgain(stage: Stage): Promise<void> {
    for (let round = 1; round <= ASKS.rounds; round++) {
      await end(stage, round)
      const statuses = await inBoth(stage, (caller) => caller.ask())
      expect(statuses).toEqual(Array(2 * CALLS).fill(ADMITTED))
      const { refreshes, reuses } = stage.provider.counts
      expect([refreshes, reuses]).toEqual([round, 0])
    }
    await stage.close()
  }

  test(`for ${CALLS} requests in each of two processes, ${ASKS.accounts * ASKS.rounds} times`, async () => {
    const stages = await Promise.all(Array.from({ length: ASKS.accounts }, () => makeStage()))
    await Promise.all(stages.map(askAgainAndAgain))
  }, 120_000)

  test(`for ${CALLS} tool calls in each, ${CALL_ROUNDS} times`, async () => {
    const stage = await makeStage()
    await inBoth(stage, (caller) => caller.call())
    for (let round = 1; round <= CALL_ROUNDS; round++) {
      await end(stage, round)
      const said = await inBoth(stage, (caller) => caller.call())
      expect(said).toEqual(Array(2 * CALLS).fill('hello'))
      const { refreshes, reuses } = stage.provider.counts
      expect([refreshes, reuses]).toEqual([round, 0])
    }
    await stage.close()
  }, 120_000)
})

describe('a token refresh', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await makeStage()
  })
  afterAll(() => stage.close())

  test('runs before expiry: 60 seconds, or a fifth of the lifetime', async () => {
    const { provider, here, id, version } = stage
    const { sql } = server.server.services.database
    const before = await version()
    const endIn = (seconds: number) =>
      sql`update mcp_instances set expires_at = now() + ${seconds} * interval '1 second' where id = ${id}`
    await endIn(90)
    await here.call()
    expect(await version()).toBe(before)
    await endIn(55)
    await here.call()
    expect(await version()).toBe(before + 1)
    expect(provider.counts.unauthorized).toBe(1) // the request of connect_account without a token
  })

  test('tolerates an unreachable provider while the old token is valid', async () => {
    const { provider, here, id, connector, version } = stage
    const { sql } = server.server.services.database
    const before = await version()
    provider.faults.tokenStatus = 503
    await sql`update mcp_instances set expires_at = now() + interval '30 seconds' where id = ${id}`
    expect(await here.call()).toBe('hello')
    await sql`update mcp_instances set expires_at = now() - interval '1 second' where id = ${id}`
    await expect(here.call()).rejects.toMatchObject({ kind: 'unreachable' })
    delete provider.faults.tokenStatus
    expect((await connector.list()).body).toMatchObject([{ id, status: 'active', error: null }])
    await sql`update mcp_instances set refresh_claimed_until = now() - interval '1 second' where id = ${id}`
    expect(await here.call()).toBe('hello')
    expect(await version()).toBe(before + 1)
  })

  test('is taken over if the process that claimed it has died', async () => {
    const { here, id, expire, version } = stage
    const { sql } = server.server.services.database
    const before = await version()
    await expire()
    await sql`
      update mcp_instances set refresh_claim = gen_random_uuid(), refresh_claimed_until = now() + interval '1 second'
      where id = ${id}`
    expect(await here.call()).toBe('hello')
    expect(await version()).toBe(before + 1)
  })

  test('frees its claim if the stored credentials cannot be decrypted', async () => {
    const { here, id, expire } = stage
    const { sql } = server.server.services.database
    const [kept] = await sql<
      { credentials: string }[]
    >`select credentials from mcp_instances where id = ${id}`
    await expire()
    await sql`update mcp_instances set credentials = ${createSecrets('another secret').encrypt('{}', id)} where id = ${id}`
    await here.call().catch(() => {})
    const [claim] = await sql`select refresh_claim from mcp_instances where id = ${id}`
    expect(claim?.['refresh_claim']).toBeNull()
    await sql`
      update mcp_instances set credentials = ${kept?.credentials ?? ''}, refresh_claimed_until = null, status = 'active'
      where id = ${id}`
    expect(await here.call()).toBe('hello')
  })

  test('runs once even if the provider is slow', async () => {
    const { provider, here, there, expire } = stage
    const { refreshes } = provider.counts
    provider.faults.tokenDelayMs = 1_000
    await expire()
    provider.endAccessTokens()
    await Promise.all([here, there, here, there].map((caller) => caller.call()))
    delete provider.faults.tokenDelayMs
    expect([provider.counts.refreshes - refreshes, provider.counts.reuses]).toEqual([1, 0])
  })

  test('deactivates the connection with the reason if it is refused, until the user reconnects', async () => {
    const { provider, here, there, expire, connector, id } = stage
    provider.faults.refuseRefresh = true
    await expire()
    for (const caller of [here, there])
      await expect(caller.call()).rejects.toMatchObject({ kind: 'unauthorized' })
    const [shown] = (await connector.list('inactive')).body
    expect(shown).toMatchObject({ id, error: expect.stringContaining('Connect your account again') })
    expect(shown.error).toContain('invalid_grant')
    delete provider.faults.refuseRefresh
    expect(await connector.connect(shown.mcp_server_id, provider.consent)).toBe(id)
    expect((await connector.list()).body).toMatchObject([{ id, status: 'active', error: null }])
    expect(await there.call()).toBe('hello')
  })

  test('leaves no grant at the provider if the connection is deleted during it', async () => {
    const { provider, here, expire, connector, id } = stage
    provider.faults.tokenDelayMs = 1_000
    await expire()
    const called = here.call().then(
      () => 'answered',
      ({ kind }) => kind,
    )
    await expect.poll(() => provider.asked.at(-1)?.parameters['grant_type']).toBe('refresh_token')
    await connector.remove(id)
    expect(await called).toBe('unauthorized')
    delete provider.faults.tokenDelayMs
    expect(provider.counts.revocations).toBeGreaterThan(0)
  })
})

test('a token is not sent to a former URL of its server', async () => {
  const { provider, connector, id, close } = await makeStage()
  const { sql } = server.server.services.database
  const mcp = createMcp(server.server.services)
  const [before] = await mcp.findInstances(connector.person.userId, null, [id])
  const moved = await startAuthorizedMcpServer()
  const [row] = await sql`select server_id from mcp_instances where id = ${id}`
  const serverId = row?.['server_id']
  await sql`update mcp_servers set url = ${moved.url} where id = ${serverId}`
  await sql`update mcp_instances set status = 'inactive' where id = ${id}`
  expect(await connector.connect(serverId, moved.consent)).toBe(id)
  const [now] = await mcp.findInstances(connector.person.userId, null, [id])
  expect(await now?.endpoint.headers()).toMatchObject({ authorization: expect.any(String) })
  await expect(before?.endpoint.headers()).rejects.toMatchObject({ kind: 'unauthorized' })
  expect(provider.counts.refreshes).toBe(0)
  await mcp.close()
  await moved.close()
  await close()
})

test('a stopping process stores the tokens of refreshes in progress', async () => {
  const stage = await makeStage()
  const { provider, there, id, expire, version, close } = stage
  const mcp = createMcp(server.server.services)
  const [instance] = await mcp.findInstances(stage.connector.person.userId, null, [id])
  const before = await version()
  provider.faults.tokenDelayMs = 500
  await expire()
  const called = instance?.endpoint.headers()
  await expect.poll(() => provider.counts.refreshes).toBe(1)
  await mcp.close()
  expect(await version()).toBe(before + 1)
  await called
  delete provider.faults.tokenDelayMs
  expect(await there.call()).toBe('hello')
  expect(provider.counts.reuses).toBe(0)
  await close()
})

test('a rate-limited refresh is retried later', async () => {
  const { provider, here, expire, connector, close } = await makeStage()
  provider.faults.changeTokens = () => ({ error: 'too_many_requests' })
  await expire()
  await expect(here.call()).rejects.toMatchObject({ kind: 'unreachable' })
  expect((await connector.list()).body).toMatchObject([{ status: 'active', error: null }])
  await close()
})

test('a connection without a refresh token ends with its access token', async () => {
  const { provider, here, expire, connector, close } = await makeStage({ refreshTokens: false })
  const { sql } = server.server.services.database
  await sql`update mcp_instances set expires_at = now() + interval '5 seconds' where user_id = ${connector.person.userId}`
  expect(await here.call()).toBe('hello')
  await expire()
  await expect(here.call()).rejects.toMatchObject({ kind: 'unauthorized' })
  expect((await connector.list()).body).toMatchObject([{ status: 'inactive' }])
  expect(provider.counts.refreshes).toBe(0)
  await close()
})
