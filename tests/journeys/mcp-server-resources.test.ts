import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '#tests/clients/mcp-client.ts'
import type { Person } from '#tests/support/client.ts'
import { type Librarian, librarian, textSource } from '#tests/support/knowledge.ts'
import { CLIENT_KINDS, type ClientKind, connectClient } from '#tests/support/mcp/clients.ts'
import { startAddressedServer } from '#tests/support/mcp/connecting.ts'
import type { TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Documents as resources and instructions as prompts of /mcp, with clients of both SDKs. */

const FACT = 'The lighthouse at Lindesnes was first lit in 1656.'
const GUIDE = 'Answer in at most three sentences.'
const INVALID_PARAMS = -32602
const METHOD_NOT_FOUND = -32601

let server: TestServer
let owner: Person
let shelf: Librarian
let kbId: string
let documentId: string
let client: Client
beforeAll(async () => {
  server = await startAddressedServer()
  owner = await server.signUp()
  shelf = librarian(server, owner)
  kbId = await shelf.create({ name: 'Lighthouses', sources: [textSource('Lindesnes', FACT)] })
  await shelf.settle(kbId)
  documentId = await documentOf(kbId)
  await instruct(owner, 'Short answers', GUIDE)
})
afterAll(() => server.stop())

async function documentOf(kb: string): Promise<string> {
  const { body } = await shelf.call('GET', 'list_documents', { kb_id: kb })
  return body.documents[0].id
}

const instruct = ({ token, organizationId }: Person, name: string, content: string) =>
  server.call('POST', `/api/instructions/create?org_id=${organizationId}`, { token, body: { name, content } })

async function makeKey(permissions: string[]): Promise<{ id: string; key: string }> {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { name: 'mcp', permissions },
  })
  return body
}

const connect = (token: string, kind: ClientKind, query = '') =>
  connectClient(kind, `${server.url}/mcp${query}`, token)

/** Connects a client of SDK 1, which does not read further pages itself, runs `work`, and disconnects. */
async function as<T>(token: string, work: (client: Client) => Promise<T>, query = ''): Promise<T> {
  const connected = await connect(token, 'SDK 1', query)
  return work(connected).finally(() => connected.close())
}

const uriOf = (id: string) => `parley://documents/${id}`
const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'allowed',
    ({ code, data, message }) => ({ code, data, message }),
  )

describe.each(CLIENT_KINDS)('a client of the %s', (kind) => {
  beforeEach(async () => {
    client = await connect(owner.token, kind)
    return () => client.close()
  })

  test('lists documents, their template, and prompts', async () => {
    const canSubscribe = kind === 'SDK 2, any'
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      resources: canSubscribe ? { listChanged: true } : {},
      prompts: {},
    })
    const { resources, nextCursor } = await client.listResources()
    expect([resources, nextCursor]).toEqual([
      [
        {
          uri: uriOf(documentId),
          name: 'Lindesnes',
          title: 'Lindesnes',
          description: 'Text of a document in the knowledge base Lighthouses',
          mimeType: 'text/markdown',
          size: FACT.length,
          annotations: { lastModified: expect.stringMatching(/Z$/) },
        },
      ],
      undefined,
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'parley://documents/{document_id}' }])
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([{ name: 'Short answers', title: 'Short answers', description: GUIDE }])
  })

  test('reads a document and a prompt', async () => {
    const { contents } = await client.readResource({ uri: uriOf(documentId) })
    expect(contents).toEqual([{ uri: uriOf(documentId), mimeType: 'text/markdown', text: FACT }])
    const { messages } = await client.getPrompt({ name: 'Short answers' })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: GUIDE } }])
  })

  test('gets an error with the URI for an unknown document', async () => {
    const uri = uriOf(randomUUID())
    expect(await refused(client.readResource({ uri }))).toMatchObject({ code: INVALID_PARAMS, data: { uri } })
  })
})

test('a found passage has the URI of its document', async () => {
  const { structuredContent } = await as(owner.token, (connected) =>
    connected.callTool({ name: 'search_knowledge_bases', arguments: { query: 'Lindesnes' } }),
  )
  expect(structuredContent).toMatchObject({ passages: [{ document_uri: uriOf(documentId) }] })
})

test('documents are listed in pages of 100, across knowledge bases', async () => {
  const many = await server.signUp()
  const shelves = librarian(server, many)
  const { sql } = server.server.services.database
  for (const name of ['First', 'Second']) {
    const kb = await shelves.create({ name, sources: [textSource(name)] })
    await shelves.settle(kb)
    await sql`
      insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
        content_hash, text_kind, text_bytes, found_by)
      select gen_random_uuid(), organization_id, kb_id, source_id, n::text, 'n ' || n, mime_type, size, metadata, 'ready',
        content_hash, 'pages', text_bytes, found_by
      from kb_documents, generate_series(1, 99) n where kb_id = ${kb}`
    await sql`
      insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
        error, found_by)
      select gen_random_uuid(), organization_id, kb_id, source_id, 'failed', 'failed', mime_type, size, metadata, 'failed',
        'No text', found_by
      from kb_documents where kb_id = ${kb} and key = '1'`
  }
  await as(many.token, async (connected) => {
    const first = await connected.listResources()
    const second = await connected.listResources({ cursor: first.nextCursor as string })
    expect([first, second].map(({ resources }) => resources.length)).toEqual([100, 100])
    expect(second.nextCursor).toBeUndefined()
    const all = [...first.resources, ...second.resources]
    expect(new Set(all.map(({ uri }) => uri)).size).toBe(200)
    expect(all.map(({ name }) => name)).not.toContain('failed')
    expect(first.resources.filter(({ mimeType }) => mimeType === 'text/plain')).toHaveLength(99)
    for (const cursor of ['x', `${randomUUID()}`, `${randomUUID()}.x`, `${first.nextCursor}.${randomUUID()}`])
      expect(await refused(connected.listResources({ cursor }))).toMatchObject({ code: INVALID_PARAMS })
  })
})

test('instructions are listed in pages of 100', async () => {
  const many = await server.signUp()
  const { sql } = server.server.services.database
  await sql`
    insert into instructions (id, organization_id, user_id, name, content)
    select gen_random_uuid(), ${many.organizationId}, ${many.userId}, 'n ' || n, 'x' from generate_series(1, 101) n`
  await as(many.token, async (connected) => {
    const first = await connected.listPrompts()
    const second = await connected.listPrompts({ cursor: first.nextCursor as string })
    expect([first.prompts.length, second.prompts.length, second.nextCursor]).toEqual([100, 1, undefined])
    expect(new Set([...first.prompts, ...second.prompts].map(({ name }) => name)).size).toBe(101)
    expect(await refused(connected.listPrompts({ cursor: 'x' }))).toMatchObject({ code: INVALID_PARAMS })
  })
})

test('a document without text and one that is too long get a sentence', async () => {
  const kb = await shelf.create({ sources: [textSource('Empty'), textSource('Long')] })
  await shelf.settle(kb)
  const { sql } = server.server.services.database
  const rows = await sql<
    { id: string; name: string }[]
  >`select id, name from kb_documents where kb_id = ${kb}`
  const idOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.id as string
  await sql`delete from kb_texts where document_id = ${idOf('Empty')}`
  await sql`update kb_documents set text_bytes = 3000000 where id = ${idOf('Long')}`
  const read = (id: string) =>
    as(owner.token, (connected) => refused(connected.readResource({ uri: uriOf(id) })))
  expect(await read(idOf('Empty'))).toMatchObject({
    message: expect.stringContaining('No text was extracted from this document.'),
  })
  expect(await read(idOf('Long'))).toMatchObject({
    message: expect.stringContaining('has 3000000 bytes, and at most 2097152 can be read'),
  })
  await shelf.call('DELETE', 'delete', { kb_id: kb })
})

describe('access', () => {
  test("another organization's document is not found, like an unknown one", async () => {
    const stranger = await server.signUp()
    await as(stranger.token, async (connected) => {
      expect((await connected.listResources()).resources).toEqual([])
      const cursor = `${kbId}.${'f'.repeat(8)}-ffff-4fff-8fff-${'f'.repeat(12)}`
      expect((await connected.listResources({ cursor })).resources).toEqual([])
      const foreign = await refused(connected.readResource({ uri: uriOf(documentId) }))
      const unknown = await refused(connected.readResource({ uri: uriOf(randomUUID()) }))
      expect(foreign).toEqual({ ...(unknown as object), data: { uri: uriOf(documentId) } })
      expect(await refused(connected.getPrompt({ name: 'Short answers' }))).toMatchObject({
        code: INVALID_PARAMS,
        message: expect.stringContaining('Unknown prompt: Short answers'),
      })
    })
  })

  test('instructions of other members are not listed', async () => {
    const guest = await server.signUp()
    const { sql } = server.server.services.database
    await addMemberWithRole(sql, owner.organizationId, guest.userId, 'guest')
    const query = `?org_id=${owner.organizationId}`
    await as(
      guest.token,
      async (connected) => {
        expect((await connected.listPrompts()).prompts).toEqual([])
        expect(await refused(connected.getPrompt({ name: 'Short answers' }))).not.toBe('allowed')
        expect((await connected.listResources()).resources).toHaveLength(1)
      },
      query,
    )
  })

  test.each([
    ['agent:execute', [], ['resources/list', 'resources/read', 'prompts/list', 'prompts/get']],
    ['kb:read', ['resources'], ['prompts/list', 'prompts/get']],
    ['chats:read', ['prompts'], ['resources/list', 'resources/read', 'resources/templates/list']],
  ])('a key with only %s has %j', async (permission, capabilities, methods) => {
    const { key } = await makeKey([permission])
    const connected = await connect(key, 'SDK 2, any')
    expect(Object.keys(connected.getServerCapabilities() ?? {}).sort()).toEqual([...capabilities, 'tools'])
    await connected.close()
    for (const method of methods) {
      const params = { uri: uriOf(documentId), name: 'Short answers' }
      const { text } = await server.call('POST', '/mcp', {
        token: key,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method, params },
      })
      expect(text).toContain(`"code":${METHOD_NOT_FOUND}`)
    }
  })

  test('a revoked key ends access with the next request', async () => {
    const { id, key } = await makeKey(['kb:read', 'chats:read'])
    const connected = await connect(key, 'SDK 2, any')
    expect((await connected.listResources()).resources).toHaveLength(1)
    await server.call('DELETE', `/api/api_keys/delete?api_key_id=${id}`, { token: owner.token })
    expect(await refused(connected.readResource({ uri: uriOf(documentId) }))).not.toBe('allowed')
    expect(await refused(connected.getPrompt({ name: 'Short answers' }))).not.toBe('allowed')
    await connected.close()
  })

  test('a hostile URI is not found', async () => {
    const uris = [
      '',
      'parley://documents/',
      `${uriOf(documentId)}/`,
      `${uriOf(documentId)}?x=1`,
      `${uriOf(documentId)}%00`,
      ` ${uriOf(documentId)}`,
      `PARLEY://documents/${documentId}`,
      `parley://documents/../documents/${documentId}`,
      `parley://documents/urn:uuid:${documentId}`,
      `parley://documents/{${documentId}}`,
      `parley://documents/${documentId}' or true --`,
      `parley://knowledge-bases/${kbId}`,
      'file:///etc/passwd',
      'http://169.254.169.254/latest/meta-data',
      `parley://documents/${'x'.repeat(2_000)}`,
    ]
    await as(owner.token, async (connected) => {
      for (const uri of uris)
        expect(await refused(connected.readResource({ uri })), uri).toMatchObject({
          code: INVALID_PARAMS,
          data: { uri: uri.slice(0, 1_000) },
        })
      expect((await connected.readResource({ uri: uriOf(documentId.toUpperCase()) })).contents).toHaveLength(
        1,
      )
    })
  })
})
