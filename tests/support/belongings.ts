import { randomUUID } from 'node:crypto'
import { agentKeeper } from './agents.ts'
import type { Answer, Person } from './client.ts'
import { create, visit } from './deployments.ts'
import { librarian, textSource } from './knowledge.ts'
import type { AuthorizedMcpServer } from './mcp/authorized-server.ts'
import { mcpConnector } from './mcp/connector.ts'
import type { TestServer } from './server.ts'
import { roleOf } from './tenants.ts'
import { toolsmith } from './toolsmith.ts'

/**
 * Fills every personal field that a user can write. Each value starts with `mark`, so that tests can search for it.
 */
export async function fillPersonal(
  server: TestServer,
  person: Person,
  mark: string,
  mcpServer: AuthorizedMcpServer,
): Promise<void> {
  const { token, organizationId: org_id } = person
  const ask = asker(server, token)
  const modelId = await demoModel(server, person)
  const first = await server.say(person, { model_id: modelId }, { content: `Hello ${mark}question` })
  await ask('PUT', `/api/chat?org_id=${org_id}&chat_id=${first.chatId}`, {
    title: `${mark}title`,
    folder: `${mark}folder`,
  })
  const file = { name: `${mark}file.txt`, bytes: `What ${mark}bytes says`, type: 'text/plain' }
  for (const chatId of [undefined, first.chatId]) {
    const { status, text } = await server.upload(person, file, chatId)
    if (status !== 201) throw new Error(text)
  }
  await ask('POST', `/api/instructions/create?org_id=${org_id}`, {
    name: `${mark}way`,
    content: `Be ${mark}brief`,
  })
  const conversation = await ask('POST', `/api/conversation/create?org_id=${org_id}`, {
    title: `${mark}conversation`,
    is_archived: false,
  })
  if (!conversation.body.id) throw new Error(conversation.text)
  const item = { role: 'user', content: `Hello ${mark}item` }
  const history = await ask('POST', `/openai/v1/conversations?org_id=${org_id}`, { items: [item] })
  const response = { model: modelId, input: [item], conversation: history.body.id }
  const responded = await ask('POST', `/openai/v1/responses?org_id=${org_id}`, response)
  if (responded.body.store !== true) throw new Error(responded.text)
  await ask('POST', `/api/api_keys/create?org_id=${org_id}`, {
    name: `${mark}key`,
    permissions: ['chats:read'],
  })
  await ask('POST', `/api/mcp_playground/chat?org_id=${org_id}`, { content: `Find ${mark}memory` })
  const connector = await mcpConnector(server, person)
  const serverId = await connector.addServer(mcpServer.url, { type: 'oauth' })
  const asked = await connector.ask(serverId, {}, { org_id })
  if (asked.status !== 201) throw new Error(asked.text)
  await connector.comeBack(await mcpServer.consent(asked.body.redirect_url))
  await connector.change(asked.body.connectionData.mcp_session_id, { name: `${mark}connection` })
}

/**
 * Fills every field of an organization. Each value starts with `mark`, so that tests can search for it. Returns the
 * ids of an agent and a knowledge base.
 */
export async function fillOrganization(
  server: TestServer,
  person: Person,
  mark: string,
): Promise<{ agentId: string; kbId: string }> {
  const { token, organizationId: org_id } = person
  const { sql } = server.server.services.database
  const ask = asker(server, token)
  await demoModel(server, person, `${mark}model`)
  const smith = toolsmith(server, person)
  const toolId = await smith.make({
    configuration: [{ name: 'key', type: 'str', description: `${mark}hint`, required: true, secret: true }],
    code: `export function main({ text }) { return { text, note: '${mark}code' } }`,
    fields: { name: `${mark}tool`, category_id: await smith.category(`${mark}category`) },
  })
  const library = librarian(server, person)
  const kbId = await library.create({
    name: `${mark}kb`,
    sources: [textSource(`${mark}source`, `All about ${mark}text`)],
  })
  const uploadId = await library.upload(kbId, `${mark}book.txt`, `The ${mark}chapter of a book`)
  await library.add(kbId, 'file', { upload_ids: [uploadId] })
  await library.settle(kbId)
  const keeper = await agentKeeper(server, person)
  const agentId = await keeper.make({
    name: `${mark}agent`,
    params: { system_prompt: `You are ${mark}prompt` },
    knowledge_base_ids: [kbId],
    tools: [{ tool_id: toolId, config: [{ name: 'key', value: `${mark}secret` }] }],
  })
  const deployment = (
    await create(server, person, agentId, { name: `${mark}deployment`, deployment_type: 'widget' })
  ).body
  const said = await server.call('POST', '/api/agent_deploy/chat', {
    token: await visit(server, deployment),
    body: { content: `Hello ${mark}visitor` },
  })
  if (said.status !== 200) throw new Error(said.text)
  await ask('POST', `/api/roles/create?org_id=${org_id}`, {
    name: `${mark}role`,
    hierarchy_level: 5,
    permission_ids: [],
  })
  const role_id = await roleOf(server, person, 'member')
  // The server drops an invitation's message if the sender's address is not verified.
  await sql`update users set email_verified_at = now() where id = ${person.userId}`
  await ask('POST', `/api/invitations/create?org_id=${org_id}`, {
    email: `${mark}guest@example.com`,
    role_id,
    message: `Come to ${mark}message`,
  })
  const names = { first_name: `${mark}first`, last_name: 'Hopper' }
  await ask('POST', `/api/users/invite?org_id=${org_id}`, {
    email: `${mark}new@example.com`,
    role: role_id,
    ...names,
  })
  const endpointId = randomUUID()
  await sql`
    insert into webhook_endpoints (id, organization_id, url, event_types, secret, created_by)
    values (${endpointId}, ${org_id}, ${`https://${mark}hook.example.com`}, '{}', 'sealed', ${person.userId})`
  await sql`
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data)
    values (${randomUUID()}, ${org_id}, ${endpointId}, 1, 'conversation.updated',
      ${JSON.stringify({ user_id: person.userId, title: `${mark}delivery` })}::text::jsonb)`
  return { agentId, kbId }
}

const asker =
  (server: TestServer, token: string) =>
  async (method: string, path: string, body: unknown): Promise<Answer> => {
    const answer = await server.call(method, path, { token, body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer
  }

const demoModel = (server: TestServer, person: Person, name = 'Demo'): Promise<string> =>
  server.addModel(person, { name, provider: 'demo', version: 'parley-demo' })
