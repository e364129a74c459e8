import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { addApp, signUpVerified } from '#tests/support/factors.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import type { Call, Fixture } from './access-matrix.ts'
import { callOf, FIXTURES_TIMEOUT_MS, readOperations } from './cover-operations.ts'
import { EVERYTHING, gatherSociety, type Made, makeFixture, type Society } from './fixture.ts'

/*
 * Clients send back a record as they have read it, with a change: each PUT accepts the record of its GET
 * or list, and refuses a changed read-only field by name.
 */

interface Schema {
  properties: Record<string, unknown>
}
const { paths, components } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
)
function bodyOf(path: string): Schema {
  const { schema } = paths[path].put.requestBody.content['application/json']
  return '$ref' in schema ? components.schemas[schema.$ref.split('/').at(-1)] : schema
}

/** An update, and the address of its record. `find` returns the record in the response. */
interface Update {
  read: string
  find?: (body: Answer['body']) => Record<string, unknown>
  /** Default: the call of the access matrix. */
  call?: Call
  /** Tokens of the reader and of the writer. Default: the owner's. */
  reader?: string
  writer?: string
}
const oneOf =
  (id: string, list = 'data') =>
  (body: Answer['body']) =>
    body[list].find((one: { id: string }) => one.id === id)

let society: Society
let made: Made
beforeAll(async () => {
  society = await gatherSociety()
  made = await makeFixture(society, EVERYTHING)
}, FIXTURES_TIMEOUT_MS)
afterAll(() => society.stop())

const send = (method: string, path: string, token: string, { query, body }: Call): Promise<Answer> =>
  society.server.call(method, query ? `${path}?${new URLSearchParams(query)}` : path, {
    token,
    ...(body !== undefined && { body }),
  })

const UPDATES: Record<string, (ids: Fixture, inOrg: string) => Update | Promise<Update>> = {
  put_auth_factors_update: async () => {
    const person = await signUpVerified(society.server)
    const { factorId } = await addApp(society.server, person)
    return {
      read: '/api/auth/factors/list',
      find: oneOf(factorId, 'factors'),
      call: { query: { factor_id: factorId }, body: { name: 'Phone' } },
      reader: person.token,
      writer: person.token,
    }
  },
  put_org_update: ({ organizationId }) => ({ read: '/api/org/list', find: oneOf(organizationId) }),
  put_users_me: () => ({ read: '/api/users/me' }),
  put_users_update: ({ memberId }, inOrg) => ({
    read: `/api/users/list?${inOrg}`,
    find: oneOf(memberId, 'users'),
  }),
  put_users_update_status: ({ memberId }, inOrg) => ({
    read: `/api/users/list?${inOrg}`,
    find: oneOf(memberId, 'users'),
  }),
  put_roles_update: ({ roleId }, inOrg) => ({ read: `/api/roles/list_roles?${inOrg}`, find: oneOf(roleId) }),
  put_llm_update: ({ modelId }, inOrg) => ({ read: `/api/llm/list?${inOrg}`, find: oneOf(modelId) }),
  put_llm_update_environment_model: async (_ids, inOrg) => {
    const read = `/api/llm/list?${inOrg}`
    const { body } = await send('GET', read, made.tokens.O, {})
    const { id } = body.data.find((one: { organization_id: string | null }) => one.organization_id === null)
    return {
      read,
      find: oneOf(id),
      call: { query: { model_id: id }, body: { input_ratio: 2 } },
      writer: made.tokens.S,
    }
  },
  put_llm_update_default: (_ids, inOrg) => ({ read: `/api/llm/defaults?${inOrg}` }),
  put_llm_update_own_default: (_ids, inOrg) => ({ read: `/api/llm/defaults?${inOrg}` }),
  put_llm_connections_update: ({ modelConnectionId }, inOrg) => ({
    read: `/api/llm/connections/list?${inOrg}`,
    find: oneOf(modelConnectionId),
  }),
  put_chat: ({ chatId }, inOrg) => ({ read: `/api/chat?${inOrg}&chat_id=${chatId}` }),
  put_kb_update: ({ kbId }) => ({ read: `/api/kb/get?kb_id=${kbId}` }),
  put_kb_update_chunk: async ({ organizationId }) => {
    const library = librarian(society.server, { ...society.people.O, organizationId })
    const kb_id = await library.create({ name: 'Chunks', sources: [textSource('Ferns')] })
    await library.settle(kb_id)
    const { body } = await library.call('GET', 'list_documents', { kb_id })
    const read = `/api/kb/get_document?kb_id=${kb_id}&document_id=${body.documents[0].id}`
    const { chunks } = (await send('GET', read, made.tokens.O, {})).body
    return {
      read,
      find: oneOf(chunks[0].id, 'chunks'),
      call: { query: { kb_id, chunk_id: chunks[0].id }, body: { is_enabled: false } },
    }
  },
  put_tools_update_category: ({ toolCategoryId }) => ({
    read: '/api/tools/list_categories',
    find: oneOf(toolCategoryId),
  }),
  put_tools: ({ toolId }) => ({ read: `/api/tools?tool_id=${toolId}` }),
  put_agents_update: ({ agentId }) => ({ read: `/api/agents/get?agent_id=${agentId}` }),
  put_conversation_update: ({ conversationId }, inOrg) => ({
    read: `/api/conversation/get_with_sessions?${inOrg}&conversation_id=${conversationId}`,
  }),
  put_agent_deploy_update: ({ deploymentId }) => ({
    read: `/api/agent_deploy/get?deployment_id=${deploymentId}`,
  }),
  put_mcp_instance: ({ mcpInstanceId }, inOrg) => ({
    read: `/api/mcp/list_instances?${inOrg}`,
    find: (body) => body.find((one: { id: string }) => one.id === mcpInstanceId),
  }),
  put_mcp_servers: ({ mcpServerId }) => ({
    read: '/api/mcp/list_servers',
    find: oneOf(mcpServerId, 'servers'),
    reader: made.tokens.S,
    writer: made.tokens.S,
  }),
  put_instructions_update: ({ instructionId }) => ({
    read: `/api/instructions/get?instruction_id=${instructionId}`,
  }),
  put_billing_update_settings: (_ids, inOrg) => ({ read: `/api/billing/balance?${inOrg}` }),
  put_billing_budgets_set: (_ids, inOrg) =>
    onceSet('put_billing_budgets_set', `/api/billing/budgets/list?${inOrg}`),
  put_billing_limits_set: (_ids, inOrg) =>
    onceSet('put_billing_limits_set', `/api/billing/limits/list?${inOrg}`),
  put_webhooks_update: ({ webhookId }, inOrg) => ({
    read: `/api/webhooks/list?${inOrg}`,
    find: oneOf(webhookId),
  }),
}

/** A PUT that also creates its record. */
async function onceSet(id: string, read: string): Promise<Update> {
  const { path } = PUTS.find((one) => one.id === id) ?? { path: '' }
  const { body } = await send('PUT', path, made.tokens.O, callOf(id)(made.fixture))
  return { read, find: oneOf(body.id) }
}

/** The response of an update of features shows nothing read-only. */
const PUTS = readOperations().filter(({ id, method }) => method === 'PUT' && id !== 'put_org_features')

describe('a record as read, with a change,', () => {
  test.each(PUTS)('is accepted by $id', async ({ id, path }) => {
    const { fixture, tokens } = made
    const update = await UPDATES[id]?.(fixture, `org_id=${fixture.organizationId}`)
    if (!update) throw new Error(`How does a client read the record of ${id}?`)
    const { query, body } = update.call ?? callOf(id)(fixture)
    const change = body as Record<string, unknown>
    const read = await send('GET', update.read, update.reader ?? tokens.O, {})
    const record = update.find?.(read.body) ?? read.body
    const put = (sent: object) =>
      send('PUT', path, update.writer ?? tokens.O, { ...(query && { query }), body: sent })

    const mistyped = await put({ ...change, colour: 'red' })
    expect([mistyped.status, mistyped.body.code]).toEqual([400, 'request.invalid'])
    const [readOnly = ''] = Object.keys(record).filter((name) => !(name in bodyOf(path).properties))
    const smuggled = await put({ ...change, [readOnly]: 'smuggled' })
    expect([smuggled.status, smuggled.body.code, smuggled.body.values]).toEqual([
      400,
      'request.read_only',
      { field: readOnly },
    ])
    const changed = await put({ ...record, ...change })
    expect([changed.status, changed.body.detail]).toEqual([200, undefined])
  })
})
