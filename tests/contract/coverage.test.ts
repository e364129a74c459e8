import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tools } from '#database/schema/tools.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, administratorToken } from '#tests/support/tenants.ts'
import {
  type Call,
  CUSTOM_ROLE,
  type Fixture,
  KEY_PERMISSIONS,
  MATRIX,
  PEOPLE,
  type Somebody,
} from './access-matrix.ts'

/*
 * No endpoint escapes: every operation of openapi.json that needs a token is tried without one, with forged ones, and
 * by everybody of access-matrix.ts. Who is no member gets exactly the answer that an id gets that does not exist.
 */

interface Operation {
  id: string
  method: string
  path: string
  isScoped: boolean
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
const operations: Operation[] = Object.entries<Record<string, never>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries<{ operationId: string; security: unknown[]; 'x-permission'?: string }>(methods)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isScoped: operation['x-permission'] !== undefined,
      })),
)

/** They are many, and a machine may be busy. */
const FIXTURES_TIMEOUT_MS = 120_000

let server: TestServer
let people: Record<Exclude<Somebody, 'K' | 'S'>, Person>
let administrator: string
const fixtures = new Map<string, ReturnType<typeof makeFixture>>()

beforeAll(async () => {
  server = await startTestServer()
  const [O, A, M, G, C, N] = await Promise.all(Array.from({ length: 6 }, () => server.signUp()))
  people = { O, A, M, G, C, N } as typeof people
  administrator = await administratorToken(server)
  // What only reads leaves everything as it was, so those share one; each of the others has its own.
  const forReading = makeFixture()
  for (const { id, method } of operations) fixtures.set(id, method === 'GET' ? forReading : makeFixture())
  await Promise.all(fixtures.values())
}, FIXTURES_TIMEOUT_MS)
afterAll(() => server.stop())

/** An organization with all kinds of records, and what each person shows to get in. */
async function makeFixture(): Promise<{ fixture: Fixture; tokens: Record<Somebody, string> }> {
  const { O, A, M, G, C, N } = people
  const make = async (path: string, body?: unknown, key = 'id'): Promise<string> => {
    const answer = await server.call('POST', path, { token: O.token, ...(body !== undefined && { body }) })
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body[key]
  }
  const organizationId = await make(`/api/org/create_org?name=${crypto.randomUUID()}`)
  const org = `org_id=${organizationId}`
  const { sql } = server.server.rooms.database
  await addMemberWithRole(sql, organizationId, A.userId, 'admin')
  await addMemberWithRole(sql, organizationId, M.userId, 'member')
  await addMemberWithRole(sql, organizationId, G.userId, 'guest')
  const held = await sql<
    { id: string }[]
  >`select id from permissions where name = any(${CUSTOM_ROLE.permissions})`
  const { hierarchy_level } = CUSTOM_ROLE
  const permission_ids = held.map(({ id }) => id)
  await make(`/api/roles/create?${org}`, { name: 'custom', hierarchy_level, permission_ids })
  await addMemberWithRole(sql, organizationId, C.userId, 'custom')
  const key = { name: 'key', permissions: KEY_PERMISSIONS }
  const roleId = await make(`/api/roles/create?${org}`, { name: 'r', hierarchy_level: 1, permission_ids: [] })
  const invitation = { email: `${crypto.randomUUID()}@example.com`, role_id: roleId }
  const modelId = await make(`/api/llm/add?${org}`, { name: 'm', provider: 'demo', version: 'parley-demo' })
  const conversationId = await make(`/api/conversation/create?${org}`, { title: 'c' })
  const kbId = await make(`/api/kb/create?${org}`, {
    name: 'k',
    description: '',
    embedding_model: 'local',
    sources: [],
  })
  const toolCategoryId = await make(`/api/tools/create_category?${org}`, { name: 't', description: '' })
  const toolId = await addTool(organizationId, O.userId, toolCategoryId)
  const agentId = await make(`/api/agents?${org}`, {
    name: 'a',
    description: '',
    agent_type: 'chat',
    model_id: modelId,
    params: {},
  })
  const deployment = { agent_id: agentId, name: 'd', description: '', deployment_type: 'api', config: {} }
  const fixture: Fixture = {
    organizationId,
    roleId,
    memberId: M.userId,
    permissionId: permission_ids[0] ?? '',
    chatId: await make(`/api/chat?${org}`, {}),
    modelId,
    conversationId,
    sessionId: await make(`/api/conversation/create_session?${org}`, {
      conversation_id: conversationId,
      model_id: modelId,
    }),
    instructionId: await make(`/api/instructions/create?${org}`, { name: 'n', content: 'c' }),
    invitationId: await make(`/api/invitations/create?${org}`, invitation),
    apiKeyId: await make(`/api/api_keys/create?${org}`, { ...key, name: 'another' }),
    kbId,
    agentId,
    deploymentId: await make(`/api/agent_deploy/create?${org}`, deployment),
    kbEvaluationId: await make(`/api/kb/evaluations/create?kb_id=${kbId}`, {
      name: 'e',
      questions: [{ question: 'q', document_names: ['t'] }],
    }),
    toolCategoryId,
    toolId,
    ...(await addMcpInstance(organizationId, O.userId)),
  }
  const K = await make(`/api/api_keys/create?${org}`, key, 'key')
  const tokens = {
    O: O.token,
    A: A.token,
    M: M.token,
    G: G.token,
    C: C.token,
    K,
    N: N.token,
    S: administrator,
  }
  return { fixture, tokens }
}

/** A server of the catalogue and somebody's connection to it, by hand: it takes one statement instead of four calls. */
async function addMcpInstance(organizationId: string, userId: string) {
  const [mcpServerId, mcpInstanceId] = [crypto.randomUUID(), crypto.randomUUID()]
  await server.server.rooms.database.sql`
    with added as (
      insert into mcp_servers (id, name, toolkit_name, toolkit_slug, description, url, auth_config)
      values (${mcpServerId}, 's', 't', ${mcpServerId}, '', 'https://mcp.example.com', '{"type":"none"}')
      returning id
    )
    insert into mcp_instances (id, organization_id, user_id, server_id, status)
    select ${mcpInstanceId}, ${organizationId}, ${userId}, id, 'active' from added`
  return { mcpServerId, mcpInstanceId }
}

/** A tool by hand: through the API each would be loaded in a sandbox. */
async function addTool(organizationId: string, userId: string, categoryId: string): Promise<string> {
  const id = crypto.randomUUID()
  const settings = {
    function_info: { name: 'f', is_async: false, description: '', code: 'export const f = () => 1' },
    requirements: [],
    deployment: { framework: 'javascript', toolkit_class: false, standalone_function: true },
  }
  await server.server.rooms.database.db.insert(tools).values({
    id,
    organizationId,
    createdBy: userId,
    categoryId,
    name: 'f',
    description: '',
    version: '1',
    configuration: [],
    inputs: [],
    outputs: { type: 'str', description: '' },
    settings,
    functions: [{ name: 'f', description: '', parameters: { type: 'object', properties: {} } }],
  })
  return id
}

/** They look through all organizations of the caller, so nobody is a stranger to them. */
const IN_EVERY_ORGANIZATION = [
  'post_chat_bulk_delete_sessions',
  'get_tools_list_categories',
  'get_tools_list_all',
  'post_mcp_generate_url',
]

const send = ({ method, path }: Operation, call: Call, token?: string): Promise<Answer> =>
  server.call(method, `${path}?${new URLSearchParams(call.query)}`, {
    ...(token !== undefined && { token }),
    ...(call.body !== undefined && { body: call.body }),
  })

const NOTHING = '00000000-0000-4000-8000-000000000000'

test('there are operations, and each has its line in the matrix, and the other way round', () => {
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(MATRIX).sort())
})

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const [allowed, call] = MATRIX[id] ?? ['', () => ({})]
  let made: Awaited<ReturnType<typeof makeFixture>>
  beforeAll(async () => {
    made = await (fixtures.get(id) ?? makeFixture())
  })

  test('401 without a token, and with a wrong one', async () => {
    const [head, payload, signature = ''] = made.tokens.O.split('.')
    const forged = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    for (const token of [undefined, 'not.a.token', forged, `sk_${'x'.repeat(43)}`])
      expect((await send(operation, call(made.fixture), token)).status).toBe(401)
  })

  test('who is no member is answered as if there were nothing', async () => {
    if (!operation.isScoped || IN_EVERY_ORGANIZATION.includes(id)) return
    const unknown = Object.fromEntries(Object.keys(made.fixture).map((key) => [key, NOTHING])) as never
    const [answer, toNothing] = [
      await send(operation, call(made.fixture), made.tokens.N),
      await send(operation, call(unknown), made.tokens.N),
    ]
    expect(answer.status).toBe(404)
    expect({ ...answer.body, request_id: null }).toEqual({ ...toNothing.body, request_id: null })
  })

  // The least first: what an owner does may end the organization.
  test.each([...PEOPLE].reverse())(`%s (of ${allowed})`, async (somebody) => {
    const { status, body } = await send(operation, call(made.fixture), made.tokens[somebody])
    const isAllowed = allowed.includes(somebody)
    const isMember = !'NS'.includes(somebody)
    if (isAllowed) {
      expect([401, 403, 500]).not.toContain(status)
      expect(body?.detail).not.toBe('Organization not found')
    } else expect(status).toBe(isMember || (!operation.isScoped && id !== 'post_org_leave') ? 403 : 404)
  })
})

test('the owner of an organization does not see the chats of its members', async () => {
  const { fixture, tokens } = await makeFixture()
  const chat = await server.call('POST', `/api/chat?org_id=${fixture.organizationId}`, {
    token: tokens.M,
    body: {},
  })
  expect(chat.status).toBe(201)
  const query = `org_id=${fixture.organizationId}&chat_id=${chat.body.id}`
  const seen = await server.call('GET', `/api/chat?${query}`, { token: tokens.O })
  expect([seen.status, seen.body.detail]).toEqual([404, 'Chat session not found'])
})
