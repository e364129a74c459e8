import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { createModels } from '#platform/models/index.ts'
import type { Person } from '#tests/support/client.ts'
import { addEmbedder, type Embedder, startEmbedder } from '#tests/support/embedder.ts'
import { expectGone, expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, textSource as text } from '#tests/support/knowledge.ts'
import { createRandom } from '#tests/support/random.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { page, startWebsite, type Website } from '#tests/support/website.ts'

/*
 * Concurrent random operations on one knowledge base, through one or two servers. At the end, all counts and the
 * index match the documents, and nothing has failed.
 */

const HISTORIES = 2
const STEPS = 30
const PEOPLE = 4
const CREATURES = ['ants', 'bees', 'crabs', 'ducks', 'eels', 'foxes', 'geese', 'hares']

let servers: TestServer[]
let embedder: Embedder
let website: Website
let person: Person
let libraries: Librarian[]
let modelId: string
beforeAll(async () => {
  const first = await startTestServer()
  // The embedded database supports only one process.
  servers = inject('postgres') === null ? [first] : [first, await startTestServer(first.environment)]
  embedder = await startEmbedder()
  website = await startWebsite()
  for (const { server } of servers)
    server.services.models = createModels({ net: server.services.net, mediaTimeouts: { retryMs: 1 } })
  person = await first.signUp()
  libraries = servers.map((server) => librarian(server, person))
  modelId = await addEmbedder(first, person, embedder)
})
afterAll(async () => {
  for (const server of [...servers].reverse()) await server.stop()
  await embedder.close()
  await website.close()
})

const sql = () => (servers[0] as TestServer).server.services.database.sql
const errorsOf = () => servers.map(({ server }) => vi.spyOn(server.services.log, 'error').mockReset())

function createActor(kb: string, random: () => number, library: Librarian) {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)]
  const write = (): string =>
    Array.from(
      { length: 1 + Math.floor(random() * 60) },
      () => `On ${pick(CREATURES)} and ${pick(CREATURES)}.`,
    ).join(random() < 0.5 ? ' ' : '\n\n')
  const query = (more: Record<string, string> = {}) => ({ kb_id: kb, ...more })
  const anyDocument = async () =>
    pick(
      (await library.call('GET', 'list_documents', query({ limit: '100' }))).body.documents as {
        id: string
      }[],
    )
  const anySource = async () =>
    pick((await library.call('GET', 'get', query())).body.sources as { id: string; type: string }[])
  const anyChunk = async () => {
    const document = await anyDocument()
    if (!document) return undefined
    const { body } = await library.call(
      'GET',
      'get_document',
      query({ document_id: document.id, limit: '100' }),
    )
    return pick((body.chunks ?? []) as { id: string }[])
  }
  const editChunk = async (change: object) => {
    const chunk = await anyChunk()
    return chunk && library.call('PUT', 'update_chunk', query({ chunk_id: chunk.id }), change)
  }
  const steps = [
    () => library.call('POST', 'add_source', query(), text(`About ${pick(CREATURES)}`, write())),
    () => library.call('POST', 'add_source', query(), text(`About ${pick(CREATURES)}`, write())),
    () => editChunk({ content: write() }),
    () => editChunk({ is_enabled: random() < 0.5 }),
    async () => {
      const document = await anyDocument()
      return document && library.call('DELETE', 'delete_document', query({ document_id: document.id }))
    },
    async () => {
      const source = random() < 0.3 ? await anySource() : undefined
      return source && library.call('DELETE', 'delete_source', query({ source_id: source.id }))
    },
    () =>
      library.call('POST', 'reindex', query(), { chunking: { max_tokens: 32 + Math.floor(random() * 200) } }),
    () => library.call('POST', 'reindex', query(), { embedding_model: random() < 0.5 ? 'local' : modelId }),
    async () => {
      website.pages = Object.fromEntries(
        ['/a', '/b', '/c', '/d']
          .filter(() => random() < 0.8)
          .map((path) => [path, page(write().slice(0, 90))]),
      )
      website.pages['/'] = page('Home', '/a', '/b', '/c', '/d')
      const source = await anySource()
      if (source?.type === 'web') return library.call('POST', 'reindex', query(), { source_id: source.id })
      const config = { url: website.at('/', '127.0.0.1'), max_pages: 10, max_depth: 1 }
      return library.call('POST', 'add_source', query(), { type: 'web', config })
    },
  ]
  return async (): Promise<void> => {
    const answer = await pick(steps)?.()
    if (answer && ![200, 201, 404, 409].includes(answer.status)) throw new Error(answer.text)
    await sleep(random() * 30)
  }
}

test.each(Array.from({ length: HISTORIES }, (_, at) => at + 1))('history %i', async (seed) => {
  const errors = errorsOf()
  const random = createRandom(seed)
  const [library] = libraries as [Librarian]
  const kb = await library.create({ sources: [text('First')] })
  const people = Array.from({ length: PEOPLE }, (_, at) => {
    const act = createActor(
      kb,
      createRandom(seed * 1_000 + at),
      libraries[at % libraries.length] as Librarian,
    )
    return async () => {
      for (let step = 0; step < STEPS / PEOPLE; step++) await act()
    }
  })
  await Promise.all(people.map((live) => live()))
  await library.settle(kb)
  // Documents of pages that don't exist fail by design.
  const failed = await sql()`
    select error from kb_documents where kb_id = ${kb} and status = 'failed' and error not like '%status 404%'`
  expect([...failed]).toEqual([])
  await expectSound(sql(), kb)
  expect(errors.flatMap(({ mock }) => mock.calls)).toEqual([])
  if (random() < 0.5) {
    await library.call('POST', 'reindex', { kb_id: kb }, {})
    await library.call('DELETE', 'delete', { kb_id: kb })
    await sleep(200)
    await expectGone(sql(), kb)
  }
})
