import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Everything that an organization stores counts towards one quota: texts, responses and their conversations. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const sql = () => server.server.services.database.sql

async function personWith(bytes: number): Promise<Person> {
  const person = await server.signUp()
  const { token, organizationId } = person
  await sql()`
    update organizations set features = ${JSON.stringify({ file_upload: bytes })}::text::jsonb where id = ${organizationId}`
  await server.addModel(person, {
    name: 'talker',
    provider: 'openai-compatible',
    version: 'emu-n5',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
  return { ...person, token }
}
const kbOf = async ({ token, organizationId }: Person): Promise<string> => {
  const body = { name: 'Help', description: 'Help', embedding_model: 'local', sources: [] }
  return (await server.call('POST', `/api/kb/create?org_id=${organizationId}`, { token, body })).body.id
}
const addText = ({ token }: Person, kbId: string, content: string): Promise<Answer> =>
  server.call('POST', `/api/kb/add_source?kb_id=${kbId}`, {
    token,
    body: { type: 'text', config: { name: 'Note', content } },
  })
const openai = ({ token }: Person, method: string, path: string, body?: object): Promise<Answer> =>
  server.call(method, `/openai/v1${path}`, { token, ...(body && { body }) })
const respond = (person: Person, body: object = {}): Promise<Answer> =>
  openai(person, 'POST', '/responses', { model: 'talker', input: 'say: Hello', ...body })

async function storedBytes({ organizationId }: Person): Promise<{ counted: number; found: number }> {
  const [row] = await sql()`
    select stored_bytes, (
      select coalesce(sum(bytes), 0) from (
        select size as bytes, organization_id from uploads
        union all select stored_bytes, organization_id from kb_documents
        union all select stored_bytes, organization_id from responses
        union all select stored_bytes, organization_id from response_conversations) as rows
      where organization_id = ${organizationId}) as found
    from organizations where id = ${organizationId}`
  return { counted: Number(row?.['stored_bytes']), found: Number(row?.['found']) }
}

describe('the quota', () => {
  test('counts texts of knowledge bases until they are deleted: 402', async () => {
    const person = await personWith(1_000)
    const kbId = await kbOf(person)
    const first = await addText(person, kbId, 'x'.repeat(900))
    expect([first.status, await storedBytes(person)]).toEqual([201, { counted: 900, found: 900 }])
    const refused = await addText(person, kbId, 'x'.repeat(101))
    expect([refused.status, refused.body.code]).toEqual([402, 'upload.quota'])
    const name = { name: 'More', description: 'More', embedding_model: 'local' }
    const made = await server.call('POST', `/api/kb/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { ...name, sources: [{ type: 'text', config: { name: 'Note', content: 'x'.repeat(101) } }] },
    })
    expect([made.status, made.body.code]).toEqual([402, 'upload.quota'])
    expect((await server.upload(person, { name: 'a.txt', bytes: 'x'.repeat(101) })).status).toBe(402)
    await server.call('DELETE', `/api/kb/delete?kb_id=${kbId}`, { token: person.token })
    await expect.poll(() => storedBytes(person)).toEqual({ counted: 0, found: 0 })
    expect((await server.upload(person, { name: 'a.txt', bytes: 'x'.repeat(101) })).status).toBe(201)
  })

  test('counts the text of a file once more for each source that keeps it', async () => {
    const person = await personWith(250)
    const [kbId, { body: file }] = await Promise.all([
      kbOf(person),
      server.upload(person, { name: 'a.txt', bytes: 'x'.repeat(100) }),
    ])
    const add = () =>
      server.call('POST', `/api/kb/add_source?kb_id=${kbId}`, {
        token: person.token,
        body: { type: 'file', config: { upload_ids: [file.id] } },
      })
    expect((await add()).status).toBe(201)
    expect((await add()).body.code).toBe('upload.quota')
    expect(await storedBytes(person)).toEqual({ counted: 200, found: 200 })
  })

  test('is exact when texts, files, responses and conversations compete for it', async () => {
    const person = await personWith(20_000)
    const kbId = await kbOf(person)
    const long = 'x'.repeat(2_000)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        if (index % 4 === 0) return addText(person, kbId, long)
        if (index % 4 === 1) return server.upload(person, { name: 'a.txt', bytes: long })
        if (index % 4 === 2) return respond(person, { input: `say: ${long}` })
        return openai(person, 'POST', '/conversations', { items: [{ role: 'user', content: long }] })
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201, 402]))
    const { counted, found } = await storedBytes(person)
    expect(counted).toBe(found)
    expect(counted).toBeLessThanOrEqual(20_000)
    expect(counted).toBeGreaterThan(14_000)
  })
})

describe('where it is full', () => {
  test.each([false, true])(
    'a response is given, is not stored, and says so (streamed: %s)',
    async (stream) => {
      const person = await personWith(100)
      const { status, body, text } = await respond(person, { stream })
      const view = stream ? (parseEvents(text).at(-1)?.data as Answer['body'])?.['response'] : body
      expect(status).toBe(200)
      expect(view).toMatchObject({
        status: 'completed',
        store: false,
        not_stored: expect.stringContaining('its limit of 100 bytes'),
      })
      expect((await openai(person, 'GET', `/responses/${view.id}`)).status).toBe(404)
      expect(await storedBytes(person)).toEqual({ counted: 0, found: 0 })
    },
  )

  test('a repeated request with a key gets the same response', async () => {
    const person = await personWith(100)
    const ask = () =>
      server.call('POST', '/openai/v1/responses', {
        token: person.token,
        headers: { 'idempotency-key': 'a-key' },
        body: { model: 'talker', input: 'say: Hello' },
      })
    const [first, again] = [await ask(), await ask()]
    expect([first.status, first.body.store, again.body.id]).toEqual([200, false, first.body.id])
    const holds = await sql()`select from open_holds where organization_id = ${person.organizationId}`
    expect(holds.count).toBe(0)
  })

  test('a conversation takes no items, and its responses are stored neither there nor alone', async () => {
    const person = await personWith(1_000)
    const { id } = (await openai(person, 'POST', '/conversations', { metadata: { topic: 'x' } })).body
    const items = [{ role: 'user', content: 'x'.repeat(1_000) }]
    for (const [path, body] of [
      ['/conversations', { items }],
      [`/conversations/${id}/items`, { items }],
    ] as const) {
      const refused = await openai(person, 'POST', path, body)
      expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_quota'])
    }
    const { body } = await respond(person, { conversation: id, input: `say: ${'x'.repeat(1_000)}` })
    expect([body.status, body.store]).toEqual(['completed', false])
    expect((await openai(person, 'GET', `/conversations/${id}/items`)).body.data).toEqual([])
    const bytes = '{"topic": "x"}'.length
    expect(await storedBytes(person)).toEqual({ counted: bytes, found: bytes })
  })
})

test('items, conversations and responses that are deleted free their bytes', async () => {
  const person = await personWith(100_000)
  const items = [
    { role: 'user', content: 'x'.repeat(500) },
    { role: 'user', content: 'y'.repeat(500) },
  ]
  const { id } = (await openai(person, 'POST', '/conversations', { items })).body
  const [first] = (await openai(person, 'GET', `/conversations/${id}/items`)).body.data
  const { body: response } = await respond(person, { conversation: id })
  const { counted } = await storedBytes(person)
  await openai(person, 'DELETE', `/conversations/${id}/items/${first.id}`)
  const less = await storedBytes(person)
  expect(less.counted).toBeLessThan(counted - 500)
  expect(less.counted).toBe(less.found)
  await openai(person, 'DELETE', `/conversations/${id}`)
  await openai(person, 'DELETE', `/responses/${response.id}`)
  expect(await storedBytes(person)).toEqual({ counted: 0, found: 0 })
})

test('the metadata of conversations counts, also when it is replaced', async () => {
  const person = await personWith(12_000)
  const ofSize = (size: number) => ({ metadata: { text: 'x'.repeat(size) } })
  const { id } = (await openai(person, 'POST', '/conversations', ofSize(8_000))).body
  const refusals = await Promise.all([
    openai(person, 'POST', '/conversations', ofSize(8_000)),
    openai(person, 'POST', `/conversations/${id}`, ofSize(13_000)),
  ])
  for (const { status, body } of refusals)
    expect([status, body.error.code]).toEqual([402, 'insufficient_quota'])
  for (const size of [8_000, 10, 11_000]) {
    const { status, body } = await openai(person, 'POST', `/conversations/${id}`, ofSize(size))
    expect([status, body.metadata]).toEqual([200, ofSize(size).metadata])
    const bytes = '{"text": ""}'.length + size
    expect(await storedBytes(person)).toEqual({ counted: bytes, found: bytes })
  }
  await openai(person, 'DELETE', `/conversations/${id}`)
  expect(await storedBytes(person)).toEqual({ counted: 0, found: 0 })
})

test('the metadata of a conversation is bounded: 400', async () => {
  const person = await personWith(100_000)
  const metadata = { text: 'x'.repeat(17_000) }
  const { body: made } = await openai(person, 'POST', '/conversations', {})
  for (const path of ['/conversations', `/conversations/${made.id}`]) {
    const { status, body } = await openai(person, 'POST', path, { metadata })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('16 KB')])
  }
})
