import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let library: Librarian
beforeAll(async () => {
  server = await sharedTestServer()
  library = librarian(server, await server.signUp())
})
afterAll(() => server.stop())

test('a text becomes chunks with their headings', async () => {
  const content = '# Hours\n\nWe open at nine.\n\n# Place\n\nThe shop is in Berlin.'
  const kb = await library.create({ sources: [{ type: 'text', config: { name: 'Shop', content } }] })
  expect(await library.settle(kb)).toMatchObject({
    status: 'ready',
    progress: 1,
    documents: { total: 1, ready: 1 },
  })
  const listed = await library.call('GET', 'list_documents', { kb_id: kb })
  const [document] = listed.body['documents'] as { id: string }[]
  const { body } = await library.call('GET', 'get_document', { kb_id: kb, document_id: document?.id ?? '' })
  expect(body).toMatchObject({
    name: 'Shop',
    status: 'ready',
    chunk_count: 2,
    chunks: [
      { position: 0, headings: ['Hours'], content: '# Hours\n\nWe open at nine.' },
      { position: 1, headings: ['Place'] },
    ],
  })
})
