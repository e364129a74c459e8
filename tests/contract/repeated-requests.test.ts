import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { makeZip } from '#tests/support/hostile-files.ts'
import { mailTo } from '#tests/support/mail.ts'
import type { TestServer } from '#tests/support/server.ts'
import { createOrganization } from '#tests/support/tenants.ts'
import { type Fixture, MATRIX } from './access-matrix.ts'
import { changed, type Sent } from './changed-request.ts'
import { callOf, FIXTURES_TIMEOUT_MS, type Operation, readOperations } from './cover-operations.ts'
import { EVERYTHING, gatherSociety, type Made, makeFixture, type Society } from './fixture.ts'
import { requestsOfClients } from './requests-of-clients.ts'
import { requestsOfFactors } from './requests-of-factors.ts'
import { requestsOfMcp } from './requests-of-mcp.ts'

/*
 * Sends every POST of openapi.json three times with one Idempotency-Key: a repeat gets the first response and
 * changes no table; with a changed request, it is refused. A POST without a valid request fails here.
 */

/** Cancelling a response is always refused. */
const OPERATIONS = readOperations().filter(
  ({ method, path }) => method === 'POST' && !path.endsWith('/cancel'),
)

const SETTLED_MS = 400
const SETTLED_TIMES_MAX = 250
/** Tables that also change without requests: a sweep fills the search words of chats. */
const BOOKKEEPING = ['login_attempts', 'server_instances', 'chat_words', 'chat_words_walk']
const MODEL = { name: 'slow', provider: 'openai-compatible', version: 'emu-n400-gap20' }
const ORGANIZATION = { id: randomUUID(), name: randomUUID() }
const MANIFEST = { format: 'parley-export', version: 1, organization: ORGANIZATION, counts: {} }
const EXPORT = [{ name: 'manifest.json', content: JSON.stringify(MANIFEST) }]
const fixtureFile = (name: string) => ({
  name,
  bytes: readFileSync(join(import.meta.dirname, '../fixtures', name)),
})

let society: Society
let server: TestServer
let provider: Society['provider']
let made: Made
let other: Made
let person: Person
let counted: Record<string, number>
const ends: (() => Promise<void>)[] = []
const sent = new Map<string, { request: Sent; key: string; answer: Answer }>()

beforeAll(async () => {
  society = await gatherSociety()
  ;({ server, provider } = society)
  ;[made, other] = await Promise.all([makeFixture(society, EVERYTHING), makeFixture(society, EVERYTHING)])
  person = await server.signUp()
}, FIXTURES_TIMEOUT_MS)
afterAll(async () => {
  for (const end of ends) await end()
  await society.stop()
})

const asOwner = async (path: string, body: unknown, { tokens } = made): Promise<Answer> => {
  const answer = await server.call('POST', path, { token: tokens.O, body })
  if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`)
  return answer
}

async function oneTimeToken(purpose: string, { userId } = person, holder = ''): Promise<string> {
  const token = newToken('ot')
  await server.server.services.database.sql`
    insert into one_time_tokens (token_hash, purpose, user_id, expires_at)
    values (${hashToken(token + holder)}, ${purpose}, ${userId}, now() + interval '1 minute')`
  return token
}

async function deployment(type: string): Promise<{ id: string; key: string }> {
  const { agentId, organizationId } = made.fixture
  const { body } = await asOwner(`/api/agent_deploy/create?org_id=${organizationId}`, {
    agent_id: agentId,
    name: type,
    description: '',
    deployment_type: type,
    config: {},
  })
  return { id: body.id, key: body.api_key }
}

/** Creates a chat with a reply that takes longer than the test. */
async function busyChat(): Promise<string> {
  const query = new URLSearchParams({ org_id: made.fixture.organizationId, model_id: (await addModel()).id })
  const headers = await beginReply(`/api/chat/send_message?${query}`, { content: 'Hi' })
  return headers.get('x-chat-id') as string
}

/** Creates a conversation with a reply that takes longer than the test. */
async function busyConversation(): Promise<string> {
  const inOrganization = `org_id=${made.fixture.organizationId}`
  const { body: conversation } = await asOwner(`/api/conversation/create?${inOrganization}`, {
    title: 'Busy',
  })
  const { body: session } = await asOwner(`/api/conversation/create_session?${inOrganization}`, {
    conversation_id: conversation.id,
    model_id: (await addModel()).id,
  })
  const message = { chat_session_id: session.id, message: 'Hi' }
  await beginReply(`/api/conversation/stream_chat?${inOrganization}`, message)
  return conversation.id
}

/** Adds a model to the fixture's organization. Returns the model's id and the query that names the organization. */
async function addModel(model: object = {}, config: object = {}) {
  const query = { org_id: made.fixture.organizationId }
  const { body } = await asOwner(`/api/llm/add?${new URLSearchParams(query)}`, {
    ...MODEL,
    ...model,
    config: { base_url: `${provider.url}/v1`, ...config },
  })
  return { id: body.id as string, query }
}

/** Starts a reply and disconnects. */
async function beginReply(path: string, body: object): Promise<Headers> {
  const leaving = new AbortController()
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.tokens.O}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  leaving.abort()
  return response.headers
}

const password = 'another password'
const names = { first_name: 'Ada', last_name: 'Lovelace' }
const signIn = async () => {
  const { email, password } = person
  return (await server.call('POST', '/api/auth/login', { body: { email, password } })).body
}

/** Requests that differ from the matrix: public ones, files, and requests that need prepared records. */
const REQUESTS: Record<string, () => Promise<Sent> | Sent> = {
  post_auth_signup: () => ({ body: { email: `${randomUUID()}@example.com`, password, ...names } }),
  post_auth_login: () => ({ body: { email: person.email, password: person.password } }),
  post_auth_refresh: async () => ({ body: { refresh_token: (await signIn()).refresh_token } }),
  post_auth_logout: async () => ({ body: { refresh_token: (await signIn()).refresh_token } }),
  async post_auth_signup_invite() {
    const { organizationId, roleId } = made.fixture
    const invitation = { email: `${randomUUID()}@example.com`, role_id: roleId }
    const { body } = await asOwner(`/api/invitations/create?org_id=${organizationId}`, invitation)
    return { body: { token: body.token, password, ...names } }
  },
  async post_auth_magic_link_accept() {
    const { organizationId, roleId } = made.fixture
    const user = { email: `${randomUUID()}@example.com`, role: roleId, ...names }
    await asOwner(`/api/users/invite?org_id=${organizationId}`, user)
    return { body: { token: (await mailTo(server, user.email, 'created a Parley account')).token, password } }
  },
  post_auth_verify_email: async () => ({
    token: person.token,
    body: { token: await oneTimeToken('verify_email') },
  }),
  async post_org_leave_by_link() {
    const { email, userId: memberId } = await server.signUp()
    await asOwner('/api/org/add_member', callOf('post_org_add_member')({ ...made.fixture, memberId }).body)
    return { body: { token: (await mailTo(server, email, 'added you to')).token } }
  },
  post_auth_forgot_password: () => ({ body: { email: person.email } }),
  post_auth_reset_password: async () => ({
    body: { token: await oneTimeToken('reset_password', await server.signUp()), password },
  }),
  ...requestsOfFactors(() => server),
  ...requestsOfClients(addModel, asOwner),
  ...requestsOfMcp(() => ({ server, serverId: made.fixture.mcpServerId, ends })),
  post_auth_oidc_exchange: async () => ({
    body: { code: await oneTimeToken('oidc_sign_in', person, 'this browser') },
    headers: { cookie: 'parley_oidc=this browser' },
  }),
  post_agent_deploy_create_visitor: async () => ({
    query: { deployment_id: (await deployment('widget')).id },
    body: { visitor_key: randomBytes(32).toString('base64url') },
  }),
  post_agent_deploy_chat: async () => ({
    token: (await deployment('api')).key,
    body: { content: 'Hi' },
  }),
  async post_agent_deploy_stop() {
    const { key } = await deployment('api')
    const { headers } = await server.call('POST', '/api/agent_deploy/chat', {
      token: key,
      body: { content: 'Hi' },
    })
    const sessionId = headers.get('x-session-id') as string
    // Marks the reply as in progress in another process.
    const { sql } = server.server.services.database
    await sql`
      insert into open_holds (id, organization_id, instance_id, chat_id, message_id, input_ratio, output_ratio)
      select gen_random_uuid(), organization_id, ${server.server.services.instance.id}, id, gen_random_uuid(), 1, 1
      from chats where id = ${sessionId}`
    return { token: key, query: { session_id: sessionId } }
  },
  post_org_add_member: async () => ({
    ...MATRIX['post_org_add_member']?.[1]({ ...made.fixture, memberId: person.userId }),
  }),
  async post_billing_transfer() {
    const { token, organizationId } = await server.signUp()
    const team = await createOrganization(server, { ...person, token })
    return { token, body: { from_org: organizationId, to_org: team.organizationId, amount: 7 } }
  },
  // The other requests need an organization that is not suspended.
  post_org_suspend: async () => ({
    query: { org_id: (await server.signUp()).organizationId },
    body: { reason: 'Unpaid' },
  }),
  post_org_leave: () => ({ token: made.tokens.G, query: { org_id: made.fixture.organizationId } }),
  post_org_transfer_ownership: () => ({
    token: other.tokens.O,
    ...MATRIX['post_org_transfer_ownership']?.[1](other.fixture),
  }),
  post_chat_stop: async () => ({
    query: { org_id: made.fixture.organizationId, chat_id: await busyChat() },
  }),
  post_conversation_stop: async () => ({
    query: { org_id: made.fixture.organizationId, conversation_id: await busyConversation() },
  }),
  async post_chat_bulk_delete_sessions() {
    const { body } = await asOwner(`/api/chat?org_id=${made.fixture.organizationId}`, {})
    return { body: { chat_ids: [body.id] } }
  },
  async post_chat_regenerate() {
    const { organizationId, modelId } = made.fixture
    const query = { org_id: organizationId, model_id: modelId }
    const { headers } = await asOwner(`/api/chat/send_message?${new URLSearchParams(query)}`, {
      content: 'Hi',
    })
    const of = { chat_id: headers.get('x-chat-id') ?? '', message_id: headers.get('x-message-id') ?? '' }
    return { query: { ...query, ...of }, body: {} }
  },
  post_chat_upload_file: () => ({
    query: { org_id: made.fixture.organizationId },
    file: fixtureFile('note.txt'),
  }),
  post_org_import: () => ({ file: { name: 'export.zip', bytes: makeZip(EXPORT) } }),
  post_kb_upload_file: () => ({ query: { kb_id: made.fixture.kbId }, file: fixtureFile('note.txt') }),
  post_chat_transcribe: () => ({
    query: { org_id: made.fixture.organizationId },
    file: fixtureFile('sound.wav'),
  }),
  async post_kb_query() {
    const { kbId, modelId } = made.fixture
    return { query: { kb_id: kbId }, body: { query: 'When?', model: modelId } }
  },
  async post_webhooks_redeliver() {
    const { webhookId } = made.fixture
    const { body } = await asOwner(`/api/webhooks/test?webhook_id=${webhookId}`, undefined)
    return { query: { webhook_id: webhookId, delivery_id: body.id } }
  },
}

async function requestOf(id: string): Promise<Sent> {
  const [allowed, call] = MATRIX[id] ?? ['', (_: Fixture) => ({})]
  const isPublic = OPERATIONS.some((one) => one.id === id && one.isPublic)
  const token = isPublic ? {} : { token: allowed === 'S' ? made.tokens.S : made.tokens.O }
  return { ...token, ...(await (REQUESTS[id]?.() ?? call(made.fixture))) }
}

async function send(path: string, request: Sent, key: string): Promise<Answer> {
  const { token, params, query, body, file, fields, headers } = request
  const to = `${path.replace(/\{(\w+)\}/, (_, name) => params?.[name] ?? '')}?${new URLSearchParams(query)}`
  const all = { 'idempotency-key': key, ...headers }
  if (!file)
    return server.call('POST', to, {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
      headers: all,
    })
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.set(name, value)
  form.set('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name)
  const response = await fetch(server.url + to, {
    method: 'POST',
    headers: { ...all, authorization: `Bearer ${token}` },
    body: form,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** Returns the number of rows in each table, after all changes have settled. */
async function countRows(): Promise<Record<string, number>> {
  const { sql } = server.server.services.database
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE' and not table_name = any(${BOOKKEEPING})`
  const statement = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`)
  let before = ''
  for (let time = 0; time < SETTLED_TIMES_MAX; time++) {
    const rows = (await sql.unsafe(statement.join(' union all '))) as unknown as {
      name: string
      rows: number
    }[]
    const counts = Object.fromEntries(rows.map((row) => [row.name, row.rows]))
    const [busy] = await sql`select from knowledge_bases where is_ingesting limit 1`
    if (!busy && JSON.stringify(counts) === before) return counts
    before = JSON.stringify(counts)
    await sleep(SETTLED_MS)
  }
  throw new Error('the tables keep changing')
}

/** Operations whose replies are compared as a whole, because a stored reply is streamed in larger pieces. */
const REPLIES = [
  'post_agent_deploy_chat',
  'post_chat_regenerate',
  'post_chat_send_message',
  'post_conversation_stream_chat',
]

/** Returns the content of a response, without the comments that keep a stream open. */
function said(id: string, { text }: Answer): unknown {
  if (!REPLIES.includes(id)) return text.replaceAll(': still here\n\n', '')
  const events = parseEvents(text)
  const pieces = events.map(({ data }) => data['content'] ?? data['message'])
  return [pieces.filter((piece) => piece !== 'DONE').join(''), events.at(-1)]
}

/** Sends all requests concurrently. Returns the response to each. */
async function all<Told>(
  operations: Operation[],
  ask: (operation: Operation) => Promise<Told>,
): Promise<Record<string, Told>> {
  const told = await Promise.all(
    operations.map(async (operation) => [operation.id, await ask(operation)] as const),
  )
  return Object.fromEntries(told)
}

const each = <Told>(operations: Operation[], told: (operation: Operation) => Told) =>
  Object.fromEntries(operations.map((operation) => [operation.id, told(operation)]))

const lookUp = ({ id }: Operation) => sent.get(id) as { request: Sent; key: string; answer: Answer }

test(
  'each succeeds, and all work ends',
  async () => {
    const told = await all(OPERATIONS, async ({ id, path }) => {
      const [request, key] = [await requestOf(id), randomUUID()]
      const answer = await send(path, request, key)
      sent.set(id, { request, key, answer })
      const isReplayed = answer.headers.has('idempotent-replayed')
      return answer.status < 400 && !isReplayed ? 'done' : [answer.status, answer.text]
    })
    expect(told).toEqual(each(OPERATIONS, () => 'done'))
    counted = await countRows()
  },
  FIXTURES_TIMEOUT_MS,
)

test('each repeat gets the first response', async () => {
  const told = await all(OPERATIONS, async (operation) => {
    const { request, key } = lookUp(operation)
    const again = await send(operation.path, request, key)
    const isReplayed = again.headers.get('idempotent-replayed')
    return [again.status, said(operation.id, again), again.headers.get('content-type'), isReplayed]
  })
  const expected = each(OPERATIONS, (operation) => {
    const { answer } = lookUp(operation)
    return [answer.status, said(operation.id, answer), answer.headers.get('content-type'), 'true']
  })
  expect(told).toEqual(expected)
})

test('each is refused with a changed request', async () => {
  const known = OPERATIONS.filter(
    ({ isPublic, id }) => !isPublic && changed(id, sent.get(id)?.request as Sent) !== null,
  )
  expect(known.length).toBeGreaterThan(40)
  const told = await all(known, async (operation) => {
    const { request, key } = lookUp(operation)
    const { status, text } = await send(operation.path, changed(operation.id, request) as Sent, key)
    return [status, text]
  })
  expect(told).toEqual(each(known, () => [409, expect.stringContaining('was already used')]))
})

test('no table has more or fewer rows', async () => {
  expect(await countRows()).toEqual(counted)
})
