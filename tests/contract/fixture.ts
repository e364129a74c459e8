import { tools } from '#database/schema/tools.ts'
import type { Person } from '#tests/support/client.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, administratorToken } from '#tests/support/tenants.ts'
import { type Call, CUSTOM_ROLE, type Fixture, KEY_PERMISSIONS, type Somebody } from './access-matrix.ts'

/*
 * Creates organizations to try the operations on. Each operation that changes data has a separate organization,
 * which contains only the records that the operation's call names.
 */

/** A server, a model provider, and the callers of access-matrix.ts. */
export interface Society {
  server: TestServer
  provider: EmulatedProvider
  people: Record<Exclude<Somebody, 'K' | 'S'>, Person>
  administrator: string
  stop(): Promise<void>
}

export interface Made {
  fixture: Fixture
  tokens: Record<Somebody, string>
}

export async function gatherSociety(environment: Record<string, string> = {}): Promise<Society> {
  const provider = await startProvider()
  const server = await startTestServer(environment)
  const [O, A, M, G, C, N] = await Promise.all(Array.from({ length: 6 }, () => server.signUp()))
  return {
    server,
    provider,
    people: { O, A, M, G, C, N } as Society['people'],
    administrator: await administratorToken(server),
    async stop() {
      await server.stop()
      await provider.close()
    },
  }
}

type Name = keyof Fixture
const NOTHING = '00000000-0000-4000-8000-000000000000'

/** Returns a fixture with ids that don't exist. */
export const unknownOf = (fixture: Fixture): Fixture =>
  Object.fromEntries(Object.keys(fixture).map((name) => [name, NOTHING])) as never

/** Returns the records that a call names. */
export function namesIn(call: (fixture: Fixture) => Call): Name[] {
  const names = new Set<Name>()
  const recorder: ProxyHandler<Fixture> = {
    get(_target, name) {
      names.add(name as Name)
      return NOTHING
    },
  }
  call(new Proxy({} as Fixture, recorder))
  return [...names]
}

export const EVERYTHING: readonly Name[] = [
  'chatId',
  'modelId',
  'instructionId',
  'sessionId',
  'roleId',
  'permissionId',
  'invitationId',
  'apiKeyId',
  'kbEvaluationId',
  'toolId',
  'deploymentId',
  'mcpInstanceId',
  'webhookId',
  'modelConnectionId',
]

/**
 * Creates an organization with all callers, a model, and the records of these names. Also returns each caller's
 * credential.
 */
export async function makeFixture(society: Society, names: readonly Name[]): Promise<Made> {
  const { people, administrator, server } = society
  const records = await foundOrganization(society)
  const { sql } = server.server.services.database
  const organizationId = await records.get('organizationId')
  await addMemberWithRole(sql, organizationId, people.A.userId, 'admin')
  await addMemberWithRole(sql, organizationId, people.G.userId, 'guest')
  const { hierarchy_level, permissions } = CUSTOM_ROLE
  const permission_ids = (
    await sql<{ id: string }[]>`select id from permissions where name = any(${permissions})`
  ).map(({ id }) => id)
  await records.make('/api/roles/create', { name: 'custom', hierarchy_level, permission_ids })
  await addMemberWithRole(sql, organizationId, people.C.userId, 'custom')
  const K = await records.make('/api/api_keys/create', { name: 'key', permissions: KEY_PERMISSIONS }, 'key')
  const fixture = await records.all(['memberId', 'modelId', ...names])
  const tokens = Object.fromEntries(Object.entries(people).map(([who, { token }]) => [who, token]))
  return { fixture, tokens: { ...tokens, K, S: administrator } as Made['tokens'] }
}

/** Creates an organization with only its owner, and the records of these names. */
export async function makeRecords(society: Society, names: readonly Name[]): Promise<Fixture> {
  return (await foundOrganization(society)).all(['modelId', ...names])
}

interface Records {
  /** Returns the id of the record with this name. Creates it on first use, after the records that it needs. */
  get(name: Name): Promise<string>
  all(names: readonly Name[]): Promise<Fixture>
  make(path: string, body: unknown, key?: string): Promise<string>
}

async function foundOrganization({ server, provider, people: { O, M } }: Society): Promise<Records> {
  const post = async (path: string, body?: unknown, key = 'id'): Promise<string> => {
    const answer = await server.call('POST', path, { token: O.token, ...(body !== undefined && { body }) })
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body[key]
  }
  const organizationId = await post(`/api/org/create_org?credits=3000&name=${crypto.randomUUID()}`)
  const { sql } = server.server.services.database
  const make: Records['make'] = (path, body, key) => post(`${path}?org_id=${organizationId}`, body, key)
  const makers: Record<Name, () => Promise<string>> = {
    organizationId: async () => organizationId,
    memberId: async () => {
      await addMemberWithRole(sql, organizationId, M.userId, 'member')
      return M.userId
    },
    permissionId: async () => {
      const [row] = await sql<{ id: string }[]>`select id from permissions where name = 'chats:read'`
      return row?.id ?? ''
    },
    roleId: () => make('/api/roles/create', { name: 'r', hierarchy_level: 1, permission_ids: [] }),
    invitationId: async () =>
      make('/api/invitations/create', {
        email: `${crypto.randomUUID()}@example.com`,
        role_id: await get('roleId'),
      }),
    apiKeyId: () => make('/api/api_keys/create', { name: 'another', permissions: KEY_PERMISSIONS }),
    chatId: () => make('/api/chat', {}),
    modelId: () =>
      make('/api/llm/add', {
        name: 'm',
        provider: 'openai-compatible',
        version: 'emu-n2',
        config: { base_url: `${provider.url}/v1` },
      }),
    instructionId: () => make('/api/instructions/create', { name: 'n', content: 'c' }),
    conversationId: () => make('/api/conversation/create', { title: 'c' }),
    sessionId: async () =>
      make('/api/conversation/create_session', {
        conversation_id: await get('conversationId'),
        model_id: await get('modelId'),
      }),
    kbId: () => make('/api/kb/create', { name: 'k', description: '', embedding_model: 'local', sources: [] }),
    kbEvaluationId: async () =>
      post(`/api/kb/evaluations/create?kb_id=${await get('kbId')}`, {
        name: 'e',
        questions: [{ question: 'q', document_names: ['t'] }],
      }),
    toolCategoryId: () => make('/api/tools/create_category', { name: 't', description: '' }),
    toolId: async () => addTool(server, organizationId, O.userId, await get('toolCategoryId')),
    agentId: async () =>
      make('/api/agents', {
        name: 'a',
        description: '',
        agent_type: 'chat',
        model_id: await get('modelId'),
        params: {},
      }),
    deploymentId: async () =>
      make('/api/agent_deploy/create', {
        agent_id: await get('agentId'),
        name: 'd',
        description: '',
        deployment_type: 'api',
        config: {},
      }),
    webhookId: () =>
      make('/api/webhooks/create', {
        url: 'http://127.0.0.1:9',
        event_types: ['conversation.updated'],
      }),
    modelConnectionId: () =>
      make('/api/llm/connections/create', {
        name: 'c',
        provider: 'openai-compatible',
        base_url: `${provider.url}/v1`,
      }),
    mcpServerId: () => addMcpServer(server),
    mcpInstanceId: async () => addMcpInstance(server, organizationId, O.userId, await get('mcpServerId')),
  }
  const made = new Map<Name, Promise<string>>()
  const get: Records['get'] = (name) => {
    const known = made.get(name) ?? makers[name]()
    made.set(name, known)
    return known
  }
  const all: Records['all'] = async (names) => {
    await Promise.all(names.map(get))
    const ids = [...made].map(async ([name, id]) => [name, await id] as const)
    return { ...Object.fromEntries(await Promise.all(ids)), organizationId } as Fixture
  }
  return { get, all, make }
}

/** Inserted directly: one statement instead of four calls. */
async function addMcpServer(server: TestServer): Promise<string> {
  const id = crypto.randomUUID()
  await server.server.services.database.sql`
    insert into mcp_servers (id, name, toolkit_name, toolkit_slug, description, url, auth_config)
    values (${id}, 's', 't', ${id}, '', 'https://mcp.example.com', '{"type":"none"}')`
  return id
}

async function addMcpInstance(
  server: TestServer,
  organizationId: string,
  userId: string,
  serverId: string,
): Promise<string> {
  const id = crypto.randomUUID()
  await server.server.services.database.sql`
    insert into mcp_instances (id, organization_id, user_id, server_id, status)
    values (${id}, ${organizationId}, ${userId}, ${serverId}, 'active')`
  return id
}

/** Inserts a tool directly, because the API would load each one in a sandbox. */
async function addTool(
  server: TestServer,
  organizationId: string,
  userId: string,
  categoryId: string,
): Promise<string> {
  const id = crypto.randomUUID()
  const settings = {
    function_info: { name: 'f', is_async: false, description: '', code: 'export const f = () => 1' },
    requirements: [],
    deployment: { framework: 'javascript', toolkit_class: false, standalone_function: true },
  }
  await server.server.services.database.db.insert(tools).values({
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
