import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** A 404 names the field of the request and its value, for which there is no record. */

let server: TestServer
let person: Person
let modelId: string
let org: string
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
  org = `org_id=${person.organizationId}`
  const added = await server.call('POST', `/api/llm/add?${org}`, {
    token: person.token,
    body: { name: 'm', provider: 'demo', version: 'parley-demo' },
  })
  modelId = added.body.id
})
afterAll(() => server.stop())

/** The specification prescribes these sentences. */
const PRESCRIBED = ['chat.not_found', 'mcp.instance_not_found']

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { token: person.token, ...(body !== undefined && { body }) })

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: { format?: string } }[]
}
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(paths)
  .filter(([path]) => path.startsWith('/api/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path,
      ids: parameters.filter(
        ({ name, required, schema }) => required && name !== 'org_id' && schema.format === 'uuid',
      ),
      takesOrganization: parameters.some(({ name }) => name === 'org_id'),
    })),
  )
  .filter(({ ids }) => ids.length > 0)

test('every operation on a record that does not exist', async () => {
  const wrong: unknown[] = []
  const named = new Set<string>()
  for (const { method, path, ids, takesOrganization } of operations) {
    const values: Record<string, string> = Object.fromEntries(ids.map(({ name }) => [name, randomUUID()]))
    const query = new URLSearchParams({
      ...(takesOrganization && { org_id: person.organizationId }),
      ...values,
    })
    const { status, body } = await call(method, `${path}?${query}`)
    if (status !== 404) continue
    const { field, value } = body.values ?? {}
    const says = body.detail.endsWith(`: ${field} ${value}`) || PRESCRIBED.includes(body.code)
    if (values[field] === value && value !== undefined && says) named.add(`${method} ${path}`)
    else wrong.push([method, path, body])
  }
  expect(wrong).toEqual([])
  expect(named.size).toBeGreaterThan(60)
})

describe('an id in a body', () => {
  const id = randomUUID()
  const agent = {
    name: 'a',
    description: '',
    agent_type: 'chat',
    params: { system_prompt: '', temperature: 0, max_tokens: 9 },
  }
  const cases: [string, string, () => object, code: string, field: string][] = [
    ['POST', '/api/agents', () => ({ ...agent, model_id: id }), 'llm.not_found', 'model_id'],
    [
      'POST',
      '/api/agents',
      () => ({ ...agent, model_id: modelId, tools: [{ tool_id: id }] }),
      'tool.not_found',
      'tools.0.tool_id',
    ],
    [
      'POST',
      '/api/agents',
      () => ({ ...agent, model_id: modelId, knowledge_base_ids: [id] }),
      'kb.not_found',
      'knowledge_base_ids.0',
    ],
    [
      'POST',
      '/api/agents',
      () => ({ ...agent, model_id: modelId, mcp_instance_ids: [id] }),
      'mcp.instance_not_found',
      'mcp_instance_ids.0',
    ],
    [
      'POST',
      '/api/kb/create',
      () => ({ name: 'k', description: '', embedding_model: id, sources: [] }),
      'llm.not_found',
      'embedding_model',
    ],
    [
      'POST',
      '/api/kb/create',
      () => ({
        name: 'k',
        description: '',
        embedding_model: 'local',
        sources: [{ type: 'file', config: { upload_ids: [id] } }],
      }),
      'upload.not_found',
      'sources.0.config.upload_ids.0',
    ],
    [
      'POST',
      '/api/roles/create',
      () => ({ name: 'r', hierarchy_level: 1, permission_ids: [id] }),
      'permission.not_found',
      'permission_ids.0',
    ],
    [
      'POST',
      '/api/invitations/create',
      () => ({ email: 'nobody@example.com', role_id: id }),
      'role.not_found',
      'role_id',
    ],
    [
      'POST',
      '/api/conversation/create_session',
      () => ({ conversation_id: id, model_id: modelId }),
      'conversation.not_found',
      'conversation_id',
    ],
    [
      'POST',
      '/api/conversation/stream_chat',
      () => ({ chat_session_id: id, message: 'Hi' }),
      'conversation.session_not_found',
      'chat_session_id',
    ],
  ]
  test.each(cases)('%s %s', async (method, path, body, code, field) => {
    const answer = await call(method, `${path}?${org}`, body())
    expect([answer.status, answer.body.code]).toEqual([404, code])
    expect(answer.body.values).toEqual({ field, value: id })
    const enveloped = await call(method, `${path.replace('/api/', '/v1/')}?${org}`, body())
    expect(enveloped.body.error.details).toMatchObject({ code, values: { field, value: id } })
  })

  test.each([
    ['knowledge_base_ids.0', { knowledge_base_ids: [id] }, ''],
    ['file_uploads.0', { file_uploads: [id] }, ''],
    ['instruction_id', {}, `&instruction_id=${id}`],
  ])('a message with %s', async (field, body, query) => {
    const answer = await call('POST', `/api/chat/send_message?${org}&model_id=${modelId}${query}`, {
      content: 'Hi',
      ...body,
    })
    expect([answer.status, answer.body.values]).toEqual([404, { field, value: id }])
  })
})

test('an organization, in the query and in a body', async () => {
  const id = randomUUID()
  const listed = await call('GET', `/api/chat/list?org_id=${id}`)
  expect(listed.body).toMatchObject({
    detail: 'Organization not found',
    values: { field: 'org_id', value: id },
  })
  const member = { organization_id: id, user_id: person.userId, role_id: id }
  const added = await call('POST', '/api/org/add_member', member)
  expect(added.body.values).toEqual({ field: 'organization_id', value: id })
})

test('a name is shortened, and its invisible characters are shown by their codes', async () => {
  const ask = async (embedding_model: string) =>
    (
      await call('POST', `/api/kb/create?${org}`, {
        name: 'k',
        description: '',
        embedding_model,
        sources: [],
      })
    ).body
  expect((await ask('gpj\u202egnp\u200b\u0007')).values).toEqual({
    field: 'embedding_model',
    value: 'gpj\\u202egnp\\u200b\\u0007',
  })
  const { detail, values } = await ask('n'.repeat(200))
  expect([values.value, detail.length < 200]).toEqual([`${'n'.repeat(100)}…`, true])
})

test('a token is never repeated', async () => {
  const token = 'inv_0123456789abcdef0123456789abcdef'
  const checked = await call('GET', `/api/invitations/validate?token=${token}`)
  const joined = await call('POST', '/api/auth/signup_invite', {
    token,
    password: 'a long password',
    first_name: 'A',
    last_name: 'B',
  })
  for (const { status, text, body } of [checked, joined]) {
    expect([status, body.values]).toEqual([404, { field: 'token', value: '(not shown)' }])
    expect(text).not.toContain(token)
  }
})

test("OpenAI's format has the field as param", async () => {
  const id = randomUUID()
  const param = async (method: string, path: string, body?: object) => {
    const answer = await call(method, `/openai/v1${path}`, body)
    return [answer.status, answer.body.error.param, answer.body.error.message.includes(body ? 'nothing' : id)]
  }
  const messages = [{ role: 'user', content: 'Hi' }]
  expect(await param('POST', '/chat/completions', { model: 'nothing', messages })).toEqual([
    404,
    'model',
    true,
  ])
  expect(await param('POST', '/embeddings', { model: 'nothing', input: 'a' })).toEqual([404, 'model', true])
  expect(await param('GET', `/files/${id}`)).toEqual([404, 'file_id', true])
  expect(await param('GET', `/responses/resp_${id}`)).toEqual([404, 'response_id', true])
})
