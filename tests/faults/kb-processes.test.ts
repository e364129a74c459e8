import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { addEmbedder, type Embedder, startEmbedder } from '#tests/support/embedder.ts'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, textSource as text } from '#tests/support/knowledge.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Several processes ingest concurrently and one after the other: each text is embedded once. */

let server: TestServer
let library: Librarian
let person: Person
let embedder: Embedder
let modelId: string
beforeAll(async () => {
  server = await startTestServer()
  embedder = await startEmbedder()
  person = await server.signUp()
  library = librarian(server, person)
  modelId = await addEmbedder(server, person, embedder)
})
afterAll(async () => {
  await server.stop()
  await embedder.close()
})

const sql = () => server.server.services.database.sql

// The embedded database supports only one process.
test('two processes share the documents of one knowledge base', needs('PostgreSQL'), async () => {
  const second = await startTestServer(server.environment)
  const libraries = [library, librarian(second, person)]
  const kb = await library.create({ embedding_model: modelId })
  const names = Array.from({ length: 60 }, (_, at) => `Shared ${at}.`)
  await Promise.all(names.map((name, at) => libraries[at % 2]?.add(kb, 'text', text(name).config)))
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 60 } })
  for (const name of names)
    expect(embedder.texts.filter((one) => one.includes(`All about ${name}`))).toHaveLength(1)
  await expectSound(sql(), kb)
  await second.stop()
})

test('the next process continues the work of a stopped one, and embeds nothing again', async () => {
  const kb = await library.create({ embedding_model: modelId, sources: [text('Stored')] })
  await library.settle(kb)
  const { resolve, promise } = Promise.withResolvers<void>()
  embedder.gate = promise
  await library.add(kb, 'text', { name: 'Cut', content: 'Cut off.' })
  await expect.poll(() => embedder.texts.some((one) => one.includes('Cut'))).toBe(true)
  const { environment, server: first } = server
  await first.stop()
  embedder.gate = Promise.resolve()
  resolve()
  const heir = await startTestServer({ ...environment, PORT: '0' })
  first.stop = heir.server.stop
  server.server = heir.server
  Object.assign(server, { call: heir.call })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 2 } })
  expect(embedder.texts.filter((one) => one.includes('Stored'))).toHaveLength(1)
  expect(embedder.texts.filter((one) => one.includes('Cut'))).toHaveLength(2)
  await expectSound(sql(), kb)
})
