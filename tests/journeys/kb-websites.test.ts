import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { addEmbedder, type Embedder, startEmbedder } from '#tests/support/embedder.ts'
import { expectGone, expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { page, redirectTo, robots, send, startWebsite, type Website } from '#tests/support/website.ts'

/** Websites as sources: their pages, changes, and hostile sites. */

let server: TestServer
let embedder: Embedder
let website: Website
let person: Person
let library: Librarian
let modelId: string
beforeAll(async () => {
  server = await startTestServer({ ALLOW_PRIVATE_NETWORK: '127.0.0.1/32' })
  embedder = await startEmbedder()
  website = await startWebsite()
  person = await server.signUp()
  library = librarian(server, person)
  modelId = await addEmbedder(server, person, embedder)
})
beforeEach(() => {
  website.pages = {}
  website.asked.splice(0)
  embedder.texts.splice(0)
})
afterAll(async () => {
  await server.stop()
  await embedder.close()
  await website.close()
})

const at = (path: string) => website.at(path, '127.0.0.1')
const sql = () => server.server.services.database.sql
interface Listed {
  id: string
  name: string
  status: string
  error: string | null
  metadata: Record<string, string>
}
const documentsOf = async (kb: string): Promise<Listed[]> =>
  (await library.call('GET', 'list_documents', { kb_id: kb, limit: '100' })).body.documents
const names = async (kb: string) => (await documentsOf(kb)).map(({ name }) => name).sort()
const web = (config: object) => ({ type: 'web', config: { url: at('/'), ...config } })

async function readAgain(kb: string): Promise<void> {
  const [source] = (await library.call('GET', 'get', { kb_id: kb })).body.sources
  const { status } = await library.call('POST', 'reindex', { kb_id: kb }, { source_id: source.id })
  expect(status).toBe(200)
  await library.settle(kb)
}

test('a page beyond the storage of the organization fails with the reason, and one that shrinks frees bytes', async () => {
  const owner = await server.signUp()
  const own = librarian(server, owner)
  const [{ bytes } = { bytes: 0 }] = await sql()<{ bytes: number }[]>`
    update organizations set features = '{"file_upload": 3000}' where id = ${owner.organizationId} returning 3000 as bytes`
  const stored = async () => {
    const [row] = await sql()`
      select stored_bytes::int as counted, (select sum(stored_bytes)::int from kb_documents where organization_id = o.id) as found
      from organizations o where id = ${owner.organizationId}`
    expect(row?.['counted']).toBe(row?.['found'])
    return row?.['counted']
  }
  const long = (words: number) =>
    `<html><head><title>Long</title></head><body><p>${'word '.repeat(words)}</p></body></html>`
  website.pages = { '/': page('Home', '/long'), '/long': long(700) }
  const kb = await own.create({ sources: [web({ max_pages: 10, max_depth: 1 })] })
  const read = async () => {
    const [source] = (await own.call('GET', 'get', { kb_id: kb })).body.sources
    await own.call('POST', 'reindex', { kb_id: kb }, { source_id: source.id })
    await own.settle(kb)
    const { documents } = (await own.call('GET', 'list_documents', { kb_id: kb })).body
    return (documents as Listed[]).find(({ metadata }) => metadata['url'] === at('/long'))
  }
  await own.settle(kb)
  expect(await read()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`its limit of ${bytes} bytes`),
  })
  website.pages['/long'] = long(500)
  expect(await read()).toMatchObject({ status: 'ready', error: null })
  const before = await stored()
  website.pages['/long'] = long(700)
  expect(await read()).toMatchObject({ status: 'ready', error: expect.stringContaining('its limit') })
  expect(await stored()).toBe(before)
  website.pages['/long'] = long(100)
  expect(await read()).toMatchObject({ status: 'ready', error: null })
  expect(await stored()).toBe(before - 2_000)
})

test('pages become documents, and one that fails does not block the others', async () => {
  website.pages = {
    '/': page('Home', '/a', '/b', '/away', '/deep'),
    '/a': page('A'),
    '/b': send('text/html', 'no', {}, 500),
    '/deep': page('Deep', '/deeper'),
    '/deeper': page('Deeper'),
  }
  const kb = await library.create({ sources: [web({ max_pages: 10, max_depth: 1 })] })
  expect(await library.settle(kb)).toMatchObject({
    status: 'ready',
    documents: { total: 5, ready: 3, failed: 2 },
    sources: [{ type: 'web', status: 'ready', error: null }],
  })
  expect(await names(kb)).toEqual(['A', 'Deep', 'Home', at('/away'), at('/b')].sort())
  const failed = (await documentsOf(kb)).find(({ name }) => name === at('/b'))
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('status 500') })
  const home = (await documentsOf(kb)).find(({ name }) => name === 'Home')
  expect(home?.metadata).toEqual({ url: at('/'), title: 'Home' })
  await expectSound(sql(), kb)
})

test('a refresh embeds only changed pages and deletes removed ones', async () => {
  website.pages = {
    '/': page('Home', '/same', '/other', '/gone'),
    '/same': page('Same'),
    '/other': page('Other'),
  }
  website.pages['/gone'] = page('Gone')
  const sources = [web({ max_pages: 10, max_depth: 1, refresh_interval_hours: 24 })]
  const kb = await library.create({ embedding_model: modelId, sources })
  await library.settle(kb)
  const before = await documentsOf(kb)
  embedder.texts.splice(0)
  website.pages['/other'] = page('Changed')
  website.pages['/'] = page('Home', '/same', '/other', '/new')
  website.pages['/new'] = page('New')
  await readAgain(kb)
  expect(await names(kb)).toEqual(['Changed', 'Home', 'New', 'Same'])
  expect(embedder.texts.map((text) => text.split('\n')[0]?.split(' ')[0]).sort()).toEqual([
    'Changed',
    'Home',
    'New',
  ])
  const after = await documentsOf(kb)
  const idOf = (documents: Listed[], name: string) => documents.find((one) => one.name === name)?.id
  expect(idOf(after, 'Changed')).toBe(idOf(before, 'Other'))
  await expectSound(sql(), kb)
  const [row] = await sql()`
    select next_reading_at between now() + interval '23 hours' and now() + interval '25 hours' as is_due
    from kb_sources where kb_id = ${kb}`
  expect(row).toEqual({ is_due: true })
})

test('a page or website with temporary errors keeps its content', async () => {
  website.pages = { '/': page('Home', '/a'), '/a': page('A') }
  const kb = await library.create({ sources: [web({ max_pages: 10, max_depth: 1 })] })
  await library.settle(kb)
  website.pages['/a'] = send('text/html', '', {}, 503)
  await readAgain(kb)
  const a = (await documentsOf(kb)).find(({ name }) => name === 'A')
  expect(a).toMatchObject({ status: 'ready', error: expect.stringContaining('503') })
  website.pages = { '/': send('text/html', '', {}, 404) }
  await readAgain(kb)
  expect((await library.call('GET', 'get', { kb_id: kb })).body).toMatchObject({
    status: 'ready',
    document_count: 2,
    sources: [{ status: 'failed', error: expect.stringContaining('status 404') }],
  })
  await expectSound(sql(), kb)
})

test.each<[string, () => Website['pages'], string]>([
  ['without its first page', () => ({}), 'status 404'],
  [
    'that asks not to be stored',
    () => ({ '/': '<meta name="robots" content="noindex"><p>Words' }),
    'noindex',
  ],
  ['whose robots.txt forbids', () => ({ '/robots.txt': robots('User-agent: *\nDisallow: /') }), 'robots.txt'],
  ['that is a file', () => ({ '/': send('application/zip', 'PK') }), 'application/zip'],
  ['that was removed', () => ({ '/': send('text/html', '', {}, 410) }), 'status 410'],
  ['that refuses access', () => ({ '/': send('text/html', '', {}, 403) }), 'status 403'],
  ['that redirects endlessly', () => ({ '*': redirectTo(at('/further')) }), 'redirects more than 5 times'],
  [
    'whose first page is endless',
    () => ({ '/': send('text/html', 'a'.repeat(6_000_000)) }),
    'larger than 5 MB',
  ],
])('a website %s fails with the reason', async (_name, pages, words) => {
  website.pages = pages()
  const kb = await library.create({ sources: [web({ max_pages: 10 })] })
  const { status, sources } = await library.settle(kb)
  expect({ status, sources }).toMatchObject({ status: 'failed', sources: [{ status: 'failed' }] })
  expect(sources[0].error).toContain(words)
  expect(await documentsOf(kb)).toEqual([])
})

test.each<[string, () => Website['pages'], string]>([
  ['is broken', () => ({ '/': send('text/html', '', {}, 500) }), 'status 500'],
  ['is busy', () => ({ '/': send('text/html', '', {}, 429) }), 'status 429'],
  ['has a broken robots.txt', () => ({ '/robots.txt': send('text/plain', '', {}, 503) }), '503'],
  ['breaks the connection', () => ({ '/': (response) => void response.destroy() }), 'closed the connection'],
])('a website that %s is retried', async (_name, pages, words) => {
  website.pages = pages()
  const kb = await library.create({ sources: [web({})] })
  await expect
    .poll(() => sql()`select status, failures, error from kb_sources where kb_id = ${kb}`)
    .toEqual([{ status: 'pending', failures: 1, error: expect.stringContaining(words) }])
})

test('a crawl of an endless website ends after max_pages', async () => {
  let count = 0
  website.pages['*'] = (response) => {
    const links = Array.from({ length: 100 }, () => `/${count++}`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Page ${count}`, ...links))
  }
  website.pages['/robots.txt'] = send('text/plain', '', {}, 404)
  const kb = await library.create({ sources: [web({ max_pages: 7, max_depth: 20 })] })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { total: 7, ready: 7 } })
  await expectSound(sql(), kb)
})

test('unusual page titles are stored', async () => {
  website.pages['/'] =
    `<html><head><title>&#xD800; &#0; \u{1f600}%_' "\\u0000</title><meta name="description" content="&#xDFFF;&#0;">` +
    '</head><body><p>Some words.</p></body></html>'
  const kb = await library.create({ sources: [web({})] })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 1 } })
  await expectSound(sql(), kb)
})

test('a redirect to a private address is not followed', async () => {
  const connections = vi.fn()
  const inside = createServer((_request, response) => void response.end('<p>inside'))
  inside.on('connection', connections)
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve))
  const { port } = inside.address() as AddressInfo
  website.pages = {
    '/': page('Home', '/leads'),
    '/leads': redirectTo(`http://127.0.0.2:${port}/`),
    '/first': redirectTo(`http://127.0.0.2:${port}/`),
  }
  const kb = await library.create({
    sources: [web({ max_pages: 5, max_depth: 1 }), { type: 'web', config: { url: at('/first') } }],
  })
  const { status: ingestion, sources } = await library.settle(kb)
  expect(sources[1]).toMatchObject({ status: 'failed', error: expect.stringContaining('public address') })
  expect(ingestion).toBe('partial')
  expect((await documentsOf(kb)).filter(({ status }) => status === 'ready').map(({ name }) => name)).toEqual([
    'Home',
  ])
  expect(connections).not.toHaveBeenCalled()
  inside.closeAllConnections()
  inside.close()
})

test('slow websites do not delay others, and can be deleted while being read', async () => {
  const drips: (() => void)[] = []
  website.pages = {
    '/robots.txt': send('text/plain', '', {}, 404),
    '/drip': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const timer = setInterval(() => response.write(' '), 100)
      response.on('close', () => clearInterval(timer))
      drips.push(() => response.end('<p>Words that nobody wants any more.'))
    },
    '/quick': page('Quick'),
  }
  const errors = vi.spyOn(server.server.services.log, 'error')
  const attacker = librarian(server, await server.signUp())
  const slow = { type: 'web', config: { url: at('/drip') } }
  const kb = await attacker.create({ sources: Array.from({ length: 12 }, () => slow) })
  await expect.poll(() => drips.length).toBeGreaterThan(0)
  const own = await library.create({ sources: [{ type: 'web', config: { url: at('/quick') } }] })
  expect(await library.settle(own)).toMatchObject({ status: 'ready', documents: { ready: 1 } })
  const { body } = await attacker.call('GET', 'get', { kb_id: kb })
  const reading = body.sources.find(({ status }: { status: string }) => status === 'processing')
  expect((await attacker.call('DELETE', 'delete_source', { kb_id: kb, source_id: reading.id })).status).toBe(
    200,
  )
  expect((await attacker.call('DELETE', 'delete', { kb_id: kb })).status).toBe(200)
  for (const end of drips) end()
  // The crawl slots of the deleted sources are free again.
  const next = await attacker.create({ sources: [{ type: 'web', config: { url: at('/quick') } }] })
  expect(await attacker.settle(next)).toMatchObject({ status: 'ready' })
  await expectGone(sql(), kb)
  expect(errors.mock.calls).toEqual([])
  errors.mockRestore()
})
