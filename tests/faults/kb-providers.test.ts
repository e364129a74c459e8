import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createModels } from '#platform/models/index.ts'
import { balanceOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { addEmbedder, type Embedder, startEmbedder } from '#tests/support/embedder.ts'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, textSource as text } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Failing embedding providers: which documents become ready, which fail and why, and what is charged. */

let server: TestServer
let embedder: Embedder
let person: Person
let library: Librarian
beforeAll(async () => {
  server = await startTestServer()
  const { services } = server.server
  services.models = createModels({ net: services.net, mediaTimeouts: { retryMs: 1, embeddingMs: 3_000 } })
  embedder = await startEmbedder()
})
beforeEach(async () => {
  person = await server.signUp()
  library = librarian(server, person)
  embedder.texts.splice(0)
  embedder.refuse = () => undefined
  embedder.gate = Promise.resolve()
})
afterAll(async () => {
  await server.stop()
  await embedder.close()
})

const sql = () => server.server.services.database.sql
const create = async (names: string[]) =>
  library.create({
    embedding_model: await addEmbedder(server, person, embedder),
    sources: names.map((name) => text(name)),
  })
const documentsOf = async (kb: string) =>
  (await library.call('GET', 'list_documents', { kb_id: kb, limit: '100' })).body.documents as {
    name: string
    status: string
    error: string | null
  }[]
const openOf = async (kb: string) => (await documentsOf(kb)).filter(({ status }) => /pend|proc/.test(status))
/** Skips the waits between retries until nothing is left to do. */
async function settleQuickly(kb: string) {
  for (;;) {
    await sql()`update kb_documents set not_before = null where kb_id = ${kb} and status = 'pending'`
    await library.call('POST', 'add_source', { kb_id: kb }, text(`Waker ${crypto.randomUUID()}`))
    const before = embedder.texts.length
    const due = () => sql()`
      select from kb_documents
      where kb_id = ${kb} and status in ('pending', 'processing') and (not_before is null or not_before < now())`
    await expect.poll(due).toHaveLength(0)
    if ((await openOf(kb)).length === 0) return
    expect(embedder.texts.length).toBeGreaterThan(before)
  }
}
async function expectSettled(): Promise<void> {
  const paid = (await ledgerOf(server, person)).reduce((sum, { amount }) => sum + amount, 0)
  expect(await balanceOf(server, person)).toMatchObject({ held: 0, balance: 1_000_000 + paid })
}

test('a text that the provider refuses fails at once; the others become ready', async () => {
  embedder.refuse = (texts) => (texts.some((one) => one.includes('Poison')) ? 400 : undefined)
  const kb = await create(['One', 'Poison', 'Two', 'Three'])
  await settleQuickly(kb)
  const documents = await documentsOf(kb)
  const poison = documents.find(({ name }) => name === 'Poison')
  expect(poison).toMatchObject({ status: 'failed', error: expect.stringContaining('Refused with 400') })
  expect(documents.filter(({ status }) => status === 'ready').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['One', 'Two', 'Three']),
  )
  // With all others, with one other, alone, alone without encoding_format and as a string: no later attempt follows.
  expect(embedder.texts.filter((one) => one.includes('Poison')).length).toBeLessThan(12)
  await expectSound(sql(), kb)
  await expectSettled()
})

test('a busy provider causes only delay', async () => {
  let busy = true
  embedder.refuse = () => (busy ? 429 : undefined)
  const kb = await create(['One', 'Two'])
  await expect.poll(async () => (await documentsOf(kb)).filter(({ error }) => error !== null).length).toBe(2)
  const [document] = await documentsOf(kb)
  expect(document).toMatchObject({ status: 'pending', error: expect.stringContaining('rate limit or quota') })
  expect((await balanceOf(server, person)).balance).toBe(1_000_000)
  busy = false
  await settleQuickly(kb)
  expect((await documentsOf(kb)).every(({ status, error }) => status === 'ready' && error === null)).toBe(
    true,
  )
  await expectSound(sql(), kb)
  await expectSettled()
})

test('a document fails without credits, and becomes ready with credits after a reindex', async () => {
  await sql()`update credit_accounts set balance = 0 where organization_id = ${person.organizationId}`
  const kb = await create(['One'])
  expect(await library.settle(kb)).toMatchObject({ status: 'failed', documents: { failed: 1 } })
  expect((await documentsOf(kb))[0]?.error).toMatch(/credit/i)
  expect(embedder.texts).toEqual([])
  await sql()`update credit_accounts set balance = 1000000 where organization_id = ${person.organizationId}`
  await library.call('POST', 'reindex', { kb_id: kb }, {})
  expect(await library.settle(kb)).toMatchObject({ status: 'ready' })
  await expectSettled()
})

test('a provider that never responds does not block other work', async () => {
  const ends = Promise.withResolvers<void>()
  embedder.gate = ends.promise
  const kbs: string[] = []
  for (let count = 0; count < 6; count++) kbs.push(await create(['One', 'Two']))
  await expect.poll(() => embedder.texts.length).toBeGreaterThan(0)
  const other = librarian(server, await server.signUp())
  const quick = await other.create({ sources: [text('Quick')] })
  expect(await other.settle(quick)).toMatchObject({ status: 'ready' })
  ends.resolve()
  embedder.gate = Promise.resolve()
  for (const kb of kbs) await library.call('DELETE', 'delete', { kb_id: kb })
})

test('deletion during embedding leaves no data', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  embedder.gate = promise
  const kb = await create(['Stays', 'Goes', 'Goes too'])
  await expect.poll(() => embedder.texts.length).toBeGreaterThan(2)
  const documents = (await library.call('GET', 'list_documents', { kb_id: kb })).body.documents
  const named = (name: string) => documents.find((one: { name: string }) => one.name === name)
  const removed = [
    await library.call('DELETE', 'delete_document', { kb_id: kb, document_id: named('Goes').id }),
    await library.call('DELETE', 'delete_source', { kb_id: kb, source_id: named('Goes too').source_id }),
  ]
  expect(removed.map(({ status }) => status)).toEqual([200, 200])
  resolve()
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { total: 1, ready: 1 } })
  await expectSound(sql(), kb)
  await expectSettled()
})
