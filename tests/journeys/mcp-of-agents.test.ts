import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Agents, createAgents } from '#parts/agents/index.ts'
import { createKnowledgeBases } from '#parts/kb/index.ts'
import { ModelFinder, PaidCalls } from '#parts/llm/index.ts'
import { createMcp, type Mcp } from '#parts/mcp/index.ts'
import { createTools } from '#parts/tools/index.ts'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { echo, startMcpServer, type TestMcpServer, textResult } from '#tests/support/mcp/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** How agents use connections to MCP servers that users share with them. */

let server: TestServer
let upstream: TestMcpServer
let mcp: Mcp
let agents: Agents
let owner: Connector
let keeper: AgentKeeper
let serverId: string
beforeAll(async () => {
  server = await sharedTestServer()
  upstream = await startMcpServer({
    tools: [echo, { name: 'count', run: () => textResult('3') }],
  })
  const { services } = server.server
  const models = new ModelFinder(services)
  mcp = createMcp(services)
  const knowledge = createKnowledgeBases(services, models, new PaidCalls(services))
  agents = createAgents(services, models, knowledge, createTools(services), mcp)
  owner = await mcpConnector(server)
  keeper = await agentKeeper(server, owner.person)
  serverId = await owner.addServer(upstream.url, { type: 'none' })
})
afterAll(async () => {
  await mcp.close()
  await server.stop()
  await upstream.close()
})

const FOREVER = new AbortController().signal

async function toolsOf(agentId: string, organizationId = owner.person.organizationId, signal = FOREVER) {
  const agent = await agents.find(organizationId, agentId)
  return (await agents.openTools(agent, { messages: [{ role: 'user', content: 'Hi' }] }, signal)).tools
}

const namesOf = async (agentId: string, organizationId?: string) =>
  (await toolsOf(agentId, organizationId)).map(({ definition }) => definition.name)

test("an agent has and runs the tools of its editors' connections", async () => {
  const id = await owner.connect(serverId)
  const agentId = await keeper.make({ mcp_instance_ids: [id] })
  expect((await keeper.get(agentId)).body.mcp_instance_ids).toEqual([id])
  expect((await owner.list()).body[0].shared_agent_ids).toEqual([agentId])
  const tools = await toolsOf(agentId)
  expect(tools.map(({ definition }) => definition.name)).toEqual(['echo', 'count'])
  const outcome = await tools[0]?.run({ text: 'hello' }, AbortSignal.timeout(10_000))
  expect(outcome).toEqual({ output: 'hello', successful: true, error: null })
  expect((await keeper.update(agentId, { mcp_instance_ids: [] })).body.mcp_instance_ids).toEqual([])
  expect(await namesOf(agentId)).toEqual([])
})

test('an editor can add only their own active connections, and keep those of others', async () => {
  const { sql } = server.server.services.database
  const { organizationId } = owner.person
  const colleague = await mcpConnector(server)
  await addMemberWithRole(sql, organizationId, colleague.person.userId, 'admin')
  const asked = await colleague.ask(serverId, {}, { org_id: organizationId })
  await colleague.comeBack(asked.body.redirect_url)
  const theirs = asked.body.connectionData.mcp_session_id
  const pending = (await owner.ask(serverId)).body.connectionData.mcp_session_id
  const elsewhere = await colleague.connect(serverId)
  for (const id of [theirs, pending, elsewhere, crypto.randomUUID()]) {
    const { status, body } = await keeper.ask({ mcp_instance_ids: [id] })
    expect([status, body.detail]).toEqual([404, 'MCP instance not found'])
  }
  const agentId = await keeper.make()
  await colleague.change(theirs, { name: 'n', shared_agent_ids: [agentId] })
  const own = await owner.connect(serverId)
  const both = await keeper.update(agentId, { mcp_instance_ids: [own, theirs] })
  expect(both.body.mcp_instance_ids).toEqual([own, theirs])
  const slug = `server-${serverId}`
  expect((await namesOf(agentId)).every((name) => name.startsWith(slug.slice(0, 20)))).toBe(true)

  // Former or suspended members share nothing, and deleted connections aren't used.
  await sql`
    update memberships set status = 'suspended'
    where organization_id = ${organizationId} and user_id = ${colleague.person.userId}`
  expect(await namesOf(agentId)).toEqual(['echo', 'count'])
  await owner.remove(own)
  expect(await namesOf(agentId)).toEqual([])
})

test('foreign callers of a public agent get no tools of connections; a failing server is omitted', async () => {
  const gone = await startMcpServer()
  const lost = await owner.connect(await owner.addServer(gone.url, { type: 'none' }))
  const id = await owner.connect(serverId)
  const agentId = await keeper.make({ mcp_instance_ids: [lost, id], is_public: true })
  await gone.close()
  expect(await namesOf(agentId)).toEqual(['echo', 'count'])
  const stranger = await server.signUp()
  const before = upstream.seen.length
  expect(await namesOf(agentId, stranger.organizationId)).toEqual([])
  expect(upstream.seen).toHaveLength(before)
  const foreign = await server.call('GET', `/api/agents/get?agent_id=${agentId}`, { token: stranger.token })
  expect(foreign.body.mcp_instance_ids).toEqual([])
})

test('concurrent sharing from both sides causes no server error and loses no connection', async () => {
  const agentIds = [await keeper.make(), await keeper.make()]
  const ids = await Promise.all(Array.from({ length: 4 }, () => owner.connect(serverId)))
  const answers = await Promise.all(
    ids.flatMap((id) => [
      owner.change(id, { name: 'n', shared_agent_ids: agentIds }),
      keeper.update(agentIds[0] ?? '', { mcp_instance_ids: ids }),
    ]),
  )
  expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  const { body } = await keeper.get(agentIds[0] ?? '')
  expect([...body.mcp_instance_ids].sort()).toEqual([...ids].sort())
})
