import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, addPowerlessMember } from '#tests/support/tenants.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

let server: TestServer
let provider: AuthorizedMcpServer
let open: TestMcpServer
let connector: Connector
let ids: { oauth: string; none: string }
beforeAll(async () => {
  server = await sharedTestServer()
  provider = await startAuthorizedMcpServer()
  open = await startMcpServer()
  connector = await mcpConnector(server)
  ids = {
    oauth: await connector.addServer(provider.url, { type: 'oauth' }),
    none: await connector.addServer(open.url, { type: 'none' }),
  }
})
afterAll(async () => {
  await server.stop()
  await Promise.all([provider, open].map((one) => one.close()))
})

const instancesOf = ({ userId }: Person) =>
  server.server.services.database.sql`select * from mcp_instances where user_id = ${userId} order by id`

describe('an instance', () => {
  test('is accessible only to its user: everyone else, including owners, gets 404', async () => {
    const owner = await mcpConnector(server)
    const member = await mcpConnector(server)
    const { organizationId } = owner.person
    await addMemberWithRole(
      server.server.services.database.sql,
      organizationId,
      member.person.userId,
      'member',
    )
    const asked = await member.ask(ids.none, {}, { org_id: organizationId })
    await member.comeBack(asked.body.redirect_url)
    const id = asked.body.connectionData.mcp_session_id
    expect((await owner.list()).body).toEqual([])
    const [put, remove] = [await owner.change(id, { name: 'x' }), await owner.remove(id)]
    const nothing = await owner.remove(NOBODY)
    for (const answer of [put, remove, nothing])
      expect([answer.status, answer.body.detail]).toEqual([404, 'MCP instance not found'])
    expect((await owner.ask(ids.none, { mcp_instance_id: id })).status).toBe(404)
    expect((await member.change(id, { name: ' Mail ' })).body).toMatchObject({ id, name: 'Mail' })
  })

  test('can be renamed; invalid names are refused', async () => {
    const id = await connector.connect(ids.none)
    expect((await connector.change(id, { name: 'Work' })).body).toMatchObject({
      id,
      name: 'Work',
      status: 'active',
    })
    for (const body of [{}, { name: ' ' }, { name: 'x'.repeat(201) }, { name: 'x', status: 'inactive' }])
      expect((await connector.change(id, body)).status).toBe(400)
    await connector.remove(id)
  })

  test('is deleted here and at the provider, and only here if the provider fails, which the response says', async () => {
    const somebody = await mcpConnector(server)
    const id = await somebody.connect(ids.oauth, provider.consent)
    const { revocations } = provider.counts
    expect((await somebody.remove(id)).body).toEqual({ message: 'MCP instance deleted' })
    expect(provider.counts.revocations).toBe(revocations + 2)
    expect((await somebody.remove(id)).status).toBe(404)

    const gone = await startAuthorizedMcpServer()
    const other = await somebody.connect(await somebody.addServer(gone.url, { type: 'oauth' }), gone.consent)
    await gone.close()
    const { status, body } = await somebody.remove(other)
    expect([status, body.message]).toEqual([200, expect.stringContaining('its access was not revoked')])
    expect(body).toMatchObject({ code: 'mcp.not_revoked', values: { reason: expect.any(String) } })
    expect(body.message).toContain(body.values.reason)
    expect(await instancesOf(somebody.person)).toHaveLength(0)
  })

  test('survives a failed attempt while another one is in progress', async () => {
    const somebody = await mcpConnector(server)
    const first = await somebody.ask(ids.oauth)
    const id = first.body.connectionData.mcp_session_id
    const back = new URL(await provider.consent(first.body.redirect_url))
    back.searchParams.set('code', 'no-such-code')
    provider.faults.tokenDelayMs = 1_000
    const exchanges = provider.asked.length
    const failing = somebody.comeBack(back.href)
    await expect.poll(() => provider.asked.length).toBe(exchanges + 1)
    const second = await somebody.ask(ids.oauth, { mcp_instance_id: id })
    expect((await failing).location.searchParams.get('error')).toContain('invalid_grant')
    delete provider.faults.tokenDelayMs
    const { location } = await somebody.comeBack(await provider.consent(second.body.redirect_url))
    expect(location.searchParams.get('error')).toBeNull()
    expect((await somebody.list()).body).toMatchObject([{ id, status: 'active' }])
  })

  test('has its changes in the audit log', async () => {
    const somebody = await mcpConnector(server)
    const id = await somebody.connect(ids.none)
    await somebody.change(id, { name: 'Mine' })
    await somebody.remove(id)
    const { body } = await server.call('GET', `/api/audit/list?org_id=${somebody.person.organizationId}`, {
      token: somebody.person.token,
    })
    const actions = body.data
      .filter((entry: { record_id: string }) => entry.record_id === id)
      .map(({ action }: { action: string }) => action)
    expect(actions).toEqual([
      'mcp_instance.deleted',
      'mcp_instance.updated',
      'mcp_instance.connected',
      'mcp_instance.created',
    ])
  })

  test("keeps its account's tools out of the audit log", async () => {
    const somebody = await mcpConnector(server)
    const { token, organizationId } = somebody.person
    const id = await somebody.connect(ids.oauth, provider.consent)
    const read = await server.call('GET', `/api/mcp/server_with_tools?server_id=${ids.oauth}`, { token })
    expect(read.body.tools).toMatchObject([{ name: 'echo' }])
    await somebody.remove(id)
    const { body, text } = await server.call('GET', `/api/audit/list?org_id=${organizationId}`, { token })
    expect(body.data[0]).toMatchObject({ action: 'mcp_instance.deleted', before: { tools: '(hidden)' } })
    expect(text).not.toContain('Repeats its input')
  })

  test('can be shared with agents of its organization by users who may change them', async () => {
    const somebody = await mcpConnector(server)
    const { person } = somebody
    const modelId = await server.addModel(person, { provider: 'demo', version: 'parley-demo' })
    const makeAgent = async (of: Person, model: string) =>
      (
        await server.call('POST', `/api/agents?org_id=${of.organizationId}`, {
          token: of.token,
          body: {
            name: crypto.randomUUID(),
            description: '',
            agent_type: 'chat',
            model_id: model,
            params: {},
          },
        })
      ).body.id
    const agentIds = [await makeAgent(person, modelId), await makeAgent(person, modelId)].sort()
    const id = await somebody.connect(ids.none)
    const share = (shared_agent_ids: string[]) => somebody.change(id, { name: 'n', shared_agent_ids })
    expect((await share(agentIds)).body.shared_agent_ids).toEqual(agentIds)
    expect((await somebody.change(id, { name: 'm' })).body.shared_agent_ids).toEqual(agentIds)
    expect((await share(agentIds.slice(1))).body.shared_agent_ids).toEqual(agentIds.slice(1))

    const stranger = await server.signUp()
    const foreign = await makeAgent(
      stranger,
      await server.addModel(stranger, { provider: 'demo', version: 'parley-demo' }),
    )
    for (const agentId of [foreign, NOBODY]) {
      const { status, body } = await share([agentId])
      expect([status, body.detail]).toEqual([404, expect.stringContaining('Agent not found')])
    }
    expect((await somebody.list()).body[0].shared_agent_ids).toEqual(agentIds.slice(1))

    const member = await addPowerlessMember(server, person.organizationId, ['mcp:*', 'agent:read'])
    const theirs = await mcpConnector(server, member)
    const asked = await theirs.ask(ids.none, {}, { org_id: person.organizationId })
    await theirs.comeBack(asked.body.redirect_url)
    const refused = await theirs.change(asked.body.connectionData.mcp_session_id, {
      name: 'n',
      shared_agent_ids: agentIds,
    })
    expect([refused.status, refused.body.detail]).toEqual([403, 'Missing permission: agent:write'])
  })
})

test('the playground and deletion require only mcp:write', async () => {
  const { person, connect } = await mcpConnector(server)
  const keyWith = async (...permissions: string[]): Promise<string> => {
    const { body } = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'for MCP', permissions },
    })
    return body.key
  }
  const id = await connect(ids.none)
  const tryWith = async (token: string) => [
    (await server.call('GET', '/api/mcp_playground/memory', { token })).status,
    (await server.call('DELETE', `/api/mcp/instance?mcp_instance_id=${id}`, { token })).status,
  ]
  expect(await tryWith(await keyWith('mcp:read', 'mcp:execute', 'mcp:delete'))).toEqual([403, 403])
  expect(await tryWith(await keyWith('mcp:write'))).toEqual([200, 200])
})
