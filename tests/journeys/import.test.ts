import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { exportArchive, importArchive, type Rows, readArchive } from '#tests/support/archives.ts'
import { fillOrganization } from '#tests/support/belongings.ts'
import { balanceOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { evaluator } from '#tests/support/evaluations.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { startBucket, type TestBucket } from '#tests/support/s3.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { grantCredits } from '#tests/support/tenants.ts'

/** Imports an organization's export on another server, and exports it again there (docs/export.md). */

let from: TestServer
let to: TestServer
let bucket: TestBucket
let owner: Person
let newcomer: Person
let archive: Buffer
beforeAll(async () => {
  bucket = await startBucket()
  // The second server has the embedded database and stores its files in DATA_DIR.
  ;[from, to] = await Promise.all([
    startTestServer(bucket.environment),
    startTestServer({ DATABASE_URL: '' }),
  ])
  owner = await from.signUp()
  const { agentId, kbId } = await fillOrganization(from, owner, 'ours')
  await fillChats(owner, agentId, kbId)
  archive = await exportArchive(from, owner)
  const names = { first_name: 'Ada', last_name: 'Lovelace' }
  const { body } = await to.call('POST', '/api/auth/signup', {
    body: { email: owner.email, password: 'correct horse battery', ...names },
  })
  newcomer = { ...owner, userId: body.user.id, token: body.access_token }
}, 180_000)
afterAll(async () => {
  await Promise.all([from.stop(), to.stop()])
  await bucket.close()
})

/**
 * Creates chats with everything that messages can refer to: files, passages, an agent, earlier replies; a
 * conversation; an evaluation.
 */
async function fillChats(person: Person, agentId: string, kbId: string): Promise<void> {
  const { token, organizationId: org_id } = person
  const ask = async (path: string, body: unknown) => {
    const answer = await from.call('POST', `${path}?org_id=${org_id}`, { token, body })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  const model_id = await from.addModel(person, { provider: 'demo', version: 'parley-demo' })
  const file = { name: 'note.txt', bytes: 'What the note says', type: 'text/plain' }
  const { body: upload } = await from.upload(person, file)
  const first = await from.say(person, { model_id }, { content: 'Read this', file_uploads: [upload.id] })
  await from.say(
    person,
    { chat_id: first.chatId, model_id },
    { content: 'What does ourstext say?', knowledge_base_ids: [kbId] },
  )
  await from.call(
    'POST',
    `/api/chat/regenerate?${new URLSearchParams({ org_id, chat_id: first.chatId, message_id: first.messageId, model_id })}`,
    { token, body: {} },
  )
  await from.say(person, { agent_id: agentId }, { content: 'Who are you?' })
  await ask('/api/instructions/create', { name: 'brief', content: 'Be brief' })
  const conversation = await ask('/api/conversation/create', { title: 'Two models' })
  const session = await ask('/api/conversation/create_session', {
    conversation_id: conversation.id,
    model_id,
  })
  await ask('/api/conversation/stream_chat', { chat_session_id: session.id, message: 'Hello' }).catch(
    () => {},
  )
  const library = librarian(from, person)
  const { documents } = (await library.call('GET', 'list_documents', { kb_id: kbId })).body
  await evaluator(library, kbId).create([{ question: 'What?', document_ids: [documents[0].id] }])
  const { body: models } = await from.call('GET', `/api/llm/list?org_id=${org_id}&limit=100`, { token })
  const builtIn = models.data.find((one: { organization_id: null }) => one.organization_id === null)
  await (await agentKeeper(from, person)).make({ name: 'of the environment', model_id: builtIn.id })
}

/** For each concept, the fields that every import sets to new values. */
const NEW: Record<string, string[]> = {
  roles: [],
  models: [],
  tool_categories: [],
  tools: [],
  knowledge_bases: [],
  kb_sources: [],
  kb_documents: ['updated_at'],
  kb_evaluations: [],
  agents: [],
  deployments: ['status', 'visitor_user_id'],
  webhooks: ['is_enabled'],
  instructions: [],
  chats: [],
  conversations: [],
  conversation_sessions: [],
  messages: [],
  files: ['created_at'],
}

test('the export of an import equals the original export', async () => {
  const { status, body, text } = await importArchive(to, newcomer, archive)
  expect([status, text]).toEqual([201, expect.stringContaining('"role_name":"owner"')])
  const here = { ...newcomer, organizationId: body.organization.id }
  const { data } = (await to.call('GET', `/api/kb/list?org_id=${here.organizationId}`, { token: here.token }))
    .body
  for (const { id } of data) await librarian(to, here).settle(id)

  const before = await readArchive(archive)
  const after = await readArchive(await exportArchive(to, here))
  const own = (rows: Rows): Rows =>
    rows.filter(
      (row) =>
        !row.is_system_role &&
        (row.user_id === undefined || [owner.userId, here.userId].includes(row.user_id)),
    )
  const pairs = Object.keys(NEW).map((concept) => ({
    concept,
    old: own(before.rows(concept)),
    now: own(after.rows(concept)),
  }))
  const ids = new Map([
    [owner.userId, here.userId],
    [owner.organizationId, here.organizationId],
  ])
  const environment = (one: typeof before): Rows =>
    JSON.parse(String(one.entries.get('manifest.json'))).environment_models
  for (const { id, provider, version } of environment(before)) {
    const same = environment(after).find((model) => model.provider === provider && model.version === version)
    ids.set(id, same.id)
  }
  for (const { old, now } of pairs) for (const [place, row] of old.entries()) ids.set(row.id, now[place]?.id)
  // Documents are indexed on arrival, so the order of chunks from different documents varies.
  const chunks = (one: typeof before) =>
    one
      .rows('kb_chunks')
      .map(({ content }) => content)
      .sort()
  expect(chunks(after)).toEqual(chunks(before))
  const translate = (row: object): object =>
    JSON.parse(
      JSON.stringify(row).replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => ids.get(id) ?? id),
    )
  for (const { concept, old, now } of pairs) {
    const compared = (row: object) => {
      const { chunk_id: _, ...rest } = row as { chunk_id?: string }
      return Object.fromEntries(Object.entries(rest).filter(([name]) => !NEW[concept]?.includes(name)))
    }
    const withoutChunks = (rows: Rows) =>
      rows.map((row) => ({
        ...compared(row),
        ...(row.citations && {
          citations: row.citations.map((one: object) => ({ ...one, chunk_id: '' })),
        }),
      }))
    expect([concept, withoutChunks(now)]).toEqual([concept, withoutChunks(old.map(translate))])
    if (concept !== 'roles') expect([concept, body.imported[concept]]).toEqual([concept, old.length])
    expect([concept, old.length > 0]).toEqual([concept, true])
  }
  for (const { id } of before.rows('files').filter(({ user_id }) => user_id === owner.userId))
    expect(after.entries.get(`files/${ids.get(id)}`)).toEqual(before.entries.get(`files/${id}`))
  expect(after.rows('deployments')[0].status).toBe('paused')
  expect(body.left_out).toContainEqual({
    what: 'invitations',
    count: before.rows('invitations').length,
    reason: 'send them again',
  })
  expect(body.left_out).toContainEqual(expect.objectContaining({ what: 'chats', count: 1 }))
})

test('imported data works: it can be searched, queried and continued', async () => {
  const { status, body } = await importArchive(to, newcomer, archive, 'To be used')
  expect(status).toBe(201)
  const here = { ...newcomer, organizationId: body.organization.id }
  expect((await balanceOf(to, here)).balance).toBe(0)
  await grantCredits(to, here.organizationId, 10_000)
  const get = async (path: string) => (await to.call('GET', path, { token: here.token })).body
  const { data: chats } = await get(`/api/chat/list?org_id=${here.organizationId}`)
  const { data: agents } = await get(`/api/agents/list?org_id=${here.organizationId}`)
  const agent = agents.find(({ name }: { name: string }) => name === 'oursagent')
  const said = await to.say(here, { chat_id: chats[0].id, agent_id: agent.id }, { content: 'And now?' })
  expect(said.chatId).toBe(chats[0].id)
  const search = `/api/chat/search?org_id=${here.organizationId}&q=${encodeURIComponent('Read this')}`
  await expect.poll(async () => (await get(search)).data?.length).toBeGreaterThan(0)
  const again = await importArchive(to, newcomer, archive, 'To be used')
  expect([again.status, again.body.code ?? again.body.detail]).toEqual([409, expect.anything()])
})
