import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { expectGone, expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, said, textSource as text } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

let server: TestServer
let person: Person
let library: Librarian
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
})
afterAll(() => server.stop())

const NOTHING = '00000000-0000-4000-8000-000000000000'
const sql = () => server.server.services.database.sql
const create = (body: Record<string, unknown>, by = library, { organizationId } = person) =>
  by.call(
    'POST',
    'create',
    { org_id: organizationId },
    { name: crypto.randomUUID(), description: '', embedding_model: 'local', sources: [], ...body },
  )

describe('a knowledge base', () => {
  test('is created, shown, listed, changed and deleted', async () => {
    const made = await create({ name: '  Handbook ', description: 'd', chunking: { max_tokens: 100 } })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      organization_id: person.organizationId,
      created_by: person.userId,
      name: 'Handbook',
      description: 'd',
      embedding_model: 'local',
      chunking: { max_tokens: 100, overlap_tokens: 25 },
      status: 'ready',
      document_count: 0,
      chunk_count: 0,
      index_version: 0,
      sources: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const kb = { kb_id: made.body.id }
    expect((await library.call('GET', 'get', kb)).body).toEqual(made.body)
    expect((await library.call('GET', 'ingestion_status', kb)).body).toEqual({
      ...kb,
      status: 'ready',
      progress: 1,
      documents: { total: 0, ready: 0, failed: 0, pending: 0 },
      sources: [],
    })
    const changed = await library.call('PUT', 'update', kb, { name: 'Handbook 2' })
    expect([changed.status, changed.body.name, changed.body.description]).toEqual([200, 'Handbook 2', 'd'])
    const removed = await library.call('DELETE', 'delete', kb)
    expect([removed.status, removed.body]).toEqual([200, { message: 'Knowledge base deleted' }])
    expect(said(await library.call('GET', 'get', kb))).toEqual([
      404,
      expect.stringContaining('Knowledge base not found'),
    ])
  })

  test('is listed newest first, in pages', async () => {
    const reader = await server.signUp()
    const own = librarian(server, reader)
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.unshift((await create({}, own, reader)).body.id)
    const org_id = reader.organizationId
    const first = await own.call('GET', 'list', { org_id, limit: '2' })
    const rest = await own.call('GET', 'list', { org_id, cursor: first.body.pagination.next_cursor })
    expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(ids)
    expect(rest.body.pagination).toEqual({ next_cursor: null, has_more: false })
    expect((await own.call('GET', 'list', { org_id, cursor: 'x' })).status).toBe(400)
    expect((await own.call('GET', 'list', { org_id, limit: '101' })).status).toBe(400)
  })

  test('has a unique name in its organization, regardless of case', async () => {
    const name = `Name ${crypto.randomUUID()}`
    const all = await Promise.all(['', ' ', '', ' '].map((pad) => create({ name: name.toUpperCase() + pad })))
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const taken = [409, 'A knowledge base with this name already exists. Choose another name.']
    expect(said(await create({ name }))).toEqual(taken)
    const other = await library.create()
    expect(said(await library.call('PUT', 'update', { kb_id: other }, { name }))).toEqual(taken)
    const stranger = await server.signUp()
    expect((await create({ name }, librarian(server, stranger), stranger)).status).toBe(201)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ extra: 1 }, 'extra'],
    [{ sources: [{ type: 'rss', config: {} }] }, 'sources'],
    [{ sources: [{ type: 'text', config: { name: 'a' } }] }, 'content'],
    [{ sources: [{ type: 'text', config: { name: 'a', content: ' ' } }] }, 'content'],
    [{ sources: [{ type: 'text', config: { name: 'a', content: 'b', c: 1 } }] }, 'c'],
    [{ sources: [{ type: 'web', config: { url: 'nowhere' } }] }, 'url'],
    [{ sources: [{ type: 'web', config: { url: 'ftp://example.com' } }] }, 'http'],
    [{ sources: [{ type: 'web', config: { url: 'http://10.0.0.1/' } }] }, 'public'],
    [{ sources: [{ type: 'web', config: { url: 'https://u:p@example.com/' } }] }, ''],
    [{ sources: [{ type: 'web', config: { url: 'https://example.com', max_pages: 0 } }] }, 'max_pages'],
    [{ sources: [{ type: 'web', config: { url: 'https://example.com', max_pages: 10_001 } }] }, 'max_pages'],
    [{ sources: [{ type: 's3', config: { bucket: 'A b' } }] }, ''],
    [{ sources: [{ type: 's3', config: { bucket: 'files', endpoint: 'http://10.0.0.1' } }] }, 'public'],
    [{ sources: [{ type: 'file', config: { upload_ids: [] } }] }, 'upload_ids'],
    [{ sources: [{ type: 'file', config: { upload_ids: [NOTHING, NOTHING] } }] }, 'upload_ids'],
    [{ chunking: { max_tokens: 31 } }, 'max_tokens'],
    [{ chunking: { max_tokens: 100, overlap_tokens: 26 } }, 'overlap_tokens'],
    [{ chunking: { overlap_tokens: 101 } }, 'overlap_tokens'],
  ])('is refused with %j', async (body, word) => {
    const answer = await create(body)
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(word)])
  })

  test('requires an embedding model', async () => {
    expect(said(await create({ embedding_model: 'no such' }))).toEqual([
      404,
      expect.stringContaining('Language model not found'),
    ])
    const id = await server.addModel(person, { provider: 'demo', version: 'parley-demo' })
    expect(said(await create({ embedding_model: id }))).toEqual([
      400,
      'This language model does not create embeddings. Set embedding_model to local, or to a model with the embedding capability.',
    ])
  })

  test('is not created if one of its sources does not exist', async () => {
    const name = crypto.randomUUID()
    const missing = { type: 'file', config: { upload_ids: [NOTHING] } }
    expect(said(await create({ name, sources: [text('a'), missing] }))[0]).toBe(404)
    expect((await create({ name })).status).toBe(201)
  })

  test('has at most 100 sources', async () => {
    const sources = Array.from({ length: 100 }, (_, at) => text(`Source ${at}`))
    const kb = await library.create({ sources })
    const more = await library.call('POST', 'add_source', { kb_id: kb }, text('one more'))
    expect(said(more)).toEqual([400, 'A knowledge base can have at most 100 sources. Delete one first.'])
    expect((await create({ sources: [...sources, text('one more')] })).status).toBe(400)
    expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { total: 100, ready: 100 } })
    await expectSound(sql(), kb)
    await library.call('DELETE', 'delete', { kb_id: kb })
    await expectGone(sql(), kb)
  })

  test('can be read by guests, changed by members, and deleted by administrators', async () => {
    const made = await server.call('POST', `/api/org/create_org?name=${crypto.randomUUID()}`, {
      token: person.token,
    })
    const owner = { ...person, organizationId: made.body.id }
    const [member, guest] = [await server.signUp(), await server.signUp()]
    await addMemberWithRole(sql(), made.body.id, member.userId, 'member')
    await addMemberWithRole(sql(), made.body.id, guest.userId, 'guest')
    const id = (await create({ sources: [text('a')] }, librarian(server, member), owner)).body.id
    const query = { kb_id: id }
    expect((await librarian(server, guest).call('GET', 'get', query)).status).toBe(200)
    const written = await librarian(server, guest).call('POST', 'add_source', query, text('b'))
    expect(said(written)).toEqual([403, 'Missing permission: kb:write'])
    const removed = await librarian(server, member).call('DELETE', 'delete', query)
    expect(said(removed)).toEqual([403, 'Missing permission: kb:delete'])
  })
})

describe('reindex', () => {
  test.each<[object, number, string]>([
    [{ chunking: { max_tokens: 40, overlap_tokens: 11 } }, 400, 'overlap_tokens'],
    [{ embedding_model: 'no such' }, 404, 'Language model not found'],
    [{ source_id: NOTHING }, 404, 'Source not found'],
    [{ other: 1 }, 400, 'other'],
  ])('with %j gets %i', async (body, status, words) => {
    const kb = await library.create()
    const answer = await library.call('POST', 'reindex', { kb_id: kb }, body)
    expect(said(answer)).toEqual([status, expect.stringContaining(words)])
  })

  test('of a text source is refused', async () => {
    const kb = await library.create()
    const source_id = await library.add(kb, 'text', { name: 'a', content: 'b' })
    const answer = await library.call('POST', 'reindex', { kb_id: kb }, { source_id })
    expect(said(answer)).toEqual([400, expect.stringContaining('read only once')])
  })
})
