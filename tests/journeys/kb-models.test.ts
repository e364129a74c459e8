import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { balanceOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { addEmbedder, type Embedder, startEmbedder } from '#tests/support/embedder.ts'
import { expectGone, expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, textSource as text } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { createOrganization } from '#tests/support/tenants.ts'

/**
 * Knowledge bases with vectors from a provider: when texts are embedded, what is charged, and what depends on the
 * model.
 */

let server: TestServer
let embedder: Embedder
let person: Person
let library: Librarian
let modelId: string
beforeAll(async () => {
  server = await sharedTestServer()
  embedder = await startEmbedder()
  person = await server.signUp()
  library = librarian(server, person)
  modelId = await addEmbedder(server, person, embedder, 'Our embedder')
})
beforeEach(() => {
  embedder.texts.splice(0)
  embedder.dimensions = 4
})
afterAll(async () => {
  await server.stop()
  await embedder.close()
})

const sql = () => server.server.services.database.sql
const onlyChunk = async (kb: string, name: string) => {
  const { body } = await library.call('GET', 'list_documents', { kb_id: kb, search: name })
  const document = await library.call('GET', 'get_document', { kb_id: kb, document_id: body.documents[0].id })
  return document.body.chunks[0]
}
/** Returns how many texts with these words were embedded. */
const embedded = (words: string) => embedder.texts.filter((one) => one.includes(words)).length

test.each(['by its name', 'by its id'])(
  'a model is found %s, and its embeddings are charged once',
  async (way) => {
    const before = (await balanceOf(server, person)).balance
    const name = `Foxes ${way}`
    const kb = await library.create({
      embedding_model: way === 'by its id' ? modelId : 'Our embedder',
      sources: [text(name)],
    })
    expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 1 } })
    expect(embedded(name)).toBe(1)
    // One chunk, and the eight sentences that calibrate the model's similarity.
    expect(embedder.texts).toHaveLength(1 + 8)
    expect((await balanceOf(server, person)).balance).toBe(before - 9)
    const [row] = await sql()`
    select vector_dims(embedding) as dimensions, dimensions as noted from kb_vectors c
    join knowledge_bases k on k.id = kb_id where kb_id = ${kb}`
    expect(row).toEqual({ dimensions: 4, noted: 4 })
    await expectSound(sql(), kb)
  },
)

test('new chunk sizes: all chunks are embedded again, and edits are lost', async () => {
  const content = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} tells of badgers and their sets.`)
  const kb = await library.create({
    embedding_model: modelId,
    sources: [text('Badgers', content.join('\n\n')), text('Owls')],
  })
  await library.settle(kb)
  const before = await library.call('GET', 'get', { kb_id: kb })
  const chunk = await onlyChunk(kb, 'Owls')
  await library.call(
    'PUT',
    'update_chunk',
    { kb_id: kb, chunk_id: chunk.id },
    { content: 'All about eagle owls.' },
  )
  expect(await onlyChunk(kb, 'Owls')).toMatchObject({ content: 'All about eagle owls.', is_edited: true })
  await expectSound(sql(), kb)
  const asked = await library.call('POST', 'reindex', { kb_id: kb }, { chunking: { max_tokens: 40 } })
  expect([asked.status, asked.body.chunking]).toEqual([200, { max_tokens: 40, overlap_tokens: 10 }])
  await library.settle(kb)
  const after = await library.call('GET', 'get', { kb_id: kb })
  expect(after.body.chunk_count).toBeGreaterThan(2 * before.body.chunk_count)
  expect(after.body.index_version).toBeGreaterThan(before.body.index_version)
  expect(await onlyChunk(kb, 'Owls')).toMatchObject({ content: 'All about Owls.', is_edited: false })
  await expectSound(sql(), kb)
})

test('another embedding model: all vectors are replaced', async () => {
  const kb = await library.create({ sources: [text('Wolves'), text('Bears')] })
  await library.settle(kb)
  expect(embedder.texts).toEqual([])
  const asked = await library.call('POST', 'reindex', { kb_id: kb }, { embedding_model: modelId })
  expect([asked.status, asked.body.embedding_model]).toEqual([200, modelId])
  await library.settle(kb)
  expect(embedded('Wolves') + embedded('Bears')).toBe(2)
  const dimensions =
    await sql()`select distinct vector_dims(embedding) as n from kb_vectors where kb_id = ${kb}`
  expect([...dimensions]).toEqual([{ n: 4 }])
  await expectSound(sql(), kb)
})

test('a model whose dimensions change fails with an error, until a reindex selects it again', async () => {
  const kb = await library.create({ embedding_model: modelId, sources: [text('Lynxes')] })
  await library.settle(kb)
  embedder.dimensions = 6
  await library.add(kb, 'text', { name: 'Martens', content: 'All about martens.' })
  await library.settle(kb)
  const { body } = await library.call('GET', 'list_documents', { kb_id: kb, search: 'Martens' })
  expect(body.documents[0]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('6 dimensions instead of'),
  })
  expect(embedded('Martens')).toBe(1)
  const chunk = await onlyChunk(kb, 'Lynxes')
  const change = await library.call(
    'PUT',
    'update_chunk',
    { kb_id: kb, chunk_id: chunk.id },
    { content: 'New' },
  )
  expect([change.status, change.body.detail]).toEqual([409, expect.stringContaining('instead of 4')])
  await expectSound(sql(), kb)
  await library.call('POST', 'reindex', { kb_id: kb }, { embedding_model: modelId })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 2, failed: 0 } })
  await expectSound(sql(), kb)
})

test('a chunk that cannot be embedded is not changed', async () => {
  const kb = await library.create({ embedding_model: modelId, sources: [text('Voles')] })
  await library.settle(kb)
  const chunk = await onlyChunk(kb, 'Voles')
  embedder.refuse = () => 400
  const change = { content: 'New', is_enabled: false }
  const { status, body } = await library.call(
    'PUT',
    'update_chunk',
    { kb_id: kb, chunk_id: chunk.id },
    change,
  )
  embedder.refuse = () => undefined
  expect([status, body.detail]).toEqual([400, expect.stringContaining('Refused with 400')])
  expect(await onlyChunk(kb, 'Voles')).toEqual(chunk)
})

test.each([
  ['takes ten texts', (texts: string[]) => (texts.length > 10 ? 400 : undefined)],
  ['takes one text', (texts: string[]) => (texts.length > 1 ? 422 : undefined)],
])('a model that %s: all sections are found', async (_name, refuse) => {
  const sections = Array.from({ length: 90 }, (_, at) => `word${at} ${'lorem ipsum dolor '.repeat(75)}`)
  embedder.refuse = refuse
  const embedding_model = await addEmbedder(server, person, embedder)
  const kb = await library.create({ embedding_model, sources: [text('Sections', sections.join('\n\n'))] })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 1 } })
  for (const at of [0, 44, 89]) {
    const { body } = await library.call('POST', 'search', { kb_id: kb }, { query: `word${at}` })
    const contents = body.results.map(({ content }: { content: string }) => content)
    expect(contents).toContainEqual(expect.stringContaining(`word${at} `))
  }
  embedder.refuse = () => undefined
})

test('a document that the model refuses fails at once with the reason, and others are indexed', async () => {
  const reason = { error: { message: 'This text is not allowed' } }
  embedder.refuse = (texts) =>
    texts.some((one) => one.includes('Vipers')) ? { status: 400, body: reason } : undefined
  const kb = await library.create({
    embedding_model: modelId,
    sources: [text('Grebes'), text('Vipers'), text('Coots')],
  })
  expect(await library.settle(kb)).toMatchObject({ documents: { ready: 2, failed: 1, pending: 0 } })
  embedder.refuse = () => undefined
  const { body } = await library.call('GET', 'list_documents', { kb_id: kb, search: 'Vipers' })
  expect(body.documents[0]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('This text is not allowed'),
  })
  const [row] = await sql()`select failures from kb_documents where kb_id = ${kb} and name = 'Vipers'`
  expect(row?.['failures']).toBeLessThanOrEqual(2)
})

test('a model in use cannot be deleted, and the error names the knowledge base', async () => {
  const id = await addEmbedder(server, person, embedder)
  const kb = await library.create({ name: 'Users of it', embedding_model: id })
  const remove = () => server.call('DELETE', `/api/llm/delete?model_id=${id}`, { token: person.token })
  const refused = await remove()
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('Users of it')])
  await library.call('DELETE', 'delete', { kb_id: kb })
  expect((await remove()).status).toBe(200)
})

test('documents with an inactive embedding model fail with the reason', async () => {
  const id = await addEmbedder(server, person, embedder)
  const kb = await library.create({ embedding_model: id })
  await server.call('PUT', `/api/llm/update?model_id=${id}`, {
    token: person.token,
    body: { is_active: false },
  })
  await library.add(kb, 'text', { name: 'Stoats', content: 'All about stoats.' })
  expect(await library.settle(kb)).toMatchObject({ status: 'failed', documents: { failed: 1 } })
  const { body } = await library.call('GET', 'list_documents', { kb_id: kb })
  expect(body.documents[0].error).toContain('not active')
  expect(embedder.texts).toEqual([])
})

test('an organization is deleted with its knowledge bases, with any embedding', async () => {
  const owner = await createOrganization(server, person, { granted: 10_000 })
  const own = librarian(server, owner)
  const embeddingModel = await addEmbedder(server, owner, embedder)
  const kbs = [
    await own.create({ embedding_model: embeddingModel, sources: [text('Hares')] }),
    await own.create({ sources: [text('Rabbits')] }),
  ]
  for (const kb of kbs) await own.settle(kb)
  const { status, text: said } = await server.call(
    'DELETE',
    `/api/org/delete?org_id=${owner.organizationId}`,
    {
      token: person.token,
    },
  )
  expect([status, said]).toEqual([200, expect.any(String)])
  for (const kb of kbs) await expectGone(sql(), kb)
})

test('no credits are held, and the balance equals the ledger', async () => {
  const entries = await ledgerOf(server, person)
  const paid = entries.reduce((sum, { amount }) => sum + amount, 0)
  expect(await balanceOf(server, person)).toMatchObject({ held: 0, balance: 1_000_000 + paid })
})
