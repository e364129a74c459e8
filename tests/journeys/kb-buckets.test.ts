import { readFileSync } from 'node:fs'
import { AwsClient } from 'aws4fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { addEmbedder, type Embedder, startEmbedder } from '#tests/support/embedder.ts'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { openReady } from '#tests/support/live-socket.ts'
import { startBucket, type TestBucket } from '#tests/support/s3.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'

/** Buckets as sources, and the recipients of progress events. */

let server: TestServer
let bucket: TestBucket
let embedder: Embedder
let person: Person
let library: Librarian
let modelId: string
beforeAll(async () => {
  bucket = await startBucket()
  server = await startTestServer()
  embedder = await startEmbedder()
  person = await server.signUp()
  library = librarian(server, person)
  modelId = await addEmbedder(server, person, embedder)
})
afterAll(async () => {
  await server.stop()
  await bucket.close()
  await embedder.close()
})

const sql = () => server.server.services.database.sql

async function send(method: string, key: string, body?: string | Buffer): Promise<void> {
  const { S3_ENDPOINT, S3_REGION = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = bucket.environment
  const client = new AwsClient({
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    region: S3_REGION,
    service: 's3',
  })
  const response = await client.fetch(`${S3_ENDPOINT}/files/${key}`, {
    method,
    ...(body && { body: body as never }),
  })
  if (!response.ok) throw new Error(await response.text())
  await response.body?.cancel()
}

const source = (more: object = {}) => ({
  type: 's3',
  config: {
    bucket: 'files',
    prefix: 'docs/',
    endpoint: bucket.environment['S3_ENDPOINT'],
    region: bucket.environment['S3_REGION'],
    access_key_id: bucket.environment['S3_ACCESS_KEY_ID'],
    secret_access_key: bucket.environment['S3_SECRET_ACCESS_KEY'],
    ...more,
  },
})
const documentsOf = async (kb: string) =>
  (await library.call('GET', 'list_documents', { kb_id: kb })).body.documents as Record<string, unknown>[]
/** Returns the objects that were read since the last call. */
const fetched = () =>
  bucket.requests
    .splice(0)
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/files/docs/'))
    .map(({ path }) => path.slice('/files/docs/'.length))
    .sort()

async function readAgain(kb: string): Promise<void> {
  const [{ id }] = (await library.call('GET', 'get', { kb_id: kb })).body.sources
  await library.call('POST', 'reindex', { kb_id: kb }, { source_id: id })
  await library.settle(kb)
}

test('objects become documents; a refresh fetches and embeds only changed objects', async () => {
  await send('PUT', 'docs/a.md', '# A\n\nOn ants.')
  await send('PUT', 'docs/b.txt', 'On bees.')
  await send('PUT', 'docs/deep/c.csv', 'name,legs\nspider,8\n')
  await send('PUT', 'docs/broken.pdf', readFileSync('tests/fixtures/truncated.pdf'))
  await send('PUT', 'docs/picture.png', readFileSync('tests/fixtures/picture.png'))
  await send('PUT', 'other/d.md', 'Elsewhere')
  bucket.requests.splice(0)
  const kb = await library.create({ embedding_model: modelId, sources: [source()] })
  expect(await library.settle(kb)).toMatchObject({
    status: 'ready',
    documents: { total: 4, ready: 3, failed: 1 },
  })
  expect(bucket.requests.every(({ fault }) => fault === undefined)).toBe(true)
  expect(fetched()).toEqual(['a.md', 'b.txt', 'broken.pdf', 'deep/c.csv'])
  expect((await library.call('GET', 'get', { kb_id: kb })).body.sources[0]).toMatchObject({ skipped: 1 })
  const c = (await documentsOf(kb)).find(({ name }) => name === 'c.csv')
  expect(c).toMatchObject({ mime_type: 'text/csv', metadata: { key: 'docs/deep/c.csv' }, error: null })
  await expectSound(sql(), kb)

  embedder.texts.splice(0)
  await send('PUT', 'docs/b.txt', 'On bumblebees.')
  await send('DELETE', 'docs/deep/c.csv')
  await send('PUT', 'docs/e.txt', 'On earwigs.')
  bucket.requests.splice(0)
  await readAgain(kb)
  expect(fetched()).toEqual(['b.txt', 'broken.pdf', 'e.txt'])
  expect(embedder.texts.map((text) => text.split('\n\n')[1]).sort()).toEqual([
    'On bumblebees.',
    'On earwigs.',
  ])
  expect((await documentsOf(kb)).map(({ name }) => name).sort()).toEqual([
    'a.md',
    'b.txt',
    'broken.pdf',
    'e.txt',
  ])
  await expectSound(sql(), kb)
})

test('an empty object has an error that says so, and the others are ready', async () => {
  const names = ['zero.txt', 'zero.pdf', 'deep/zero.csv', 'zero.docx', 'zero.xlsx', 'zero.md']
  for (const name of names) await send('PUT', `empty/${name}`, Buffer.alloc(0))
  await send('PUT', 'empty/folder/', Buffer.alloc(0))
  await send('PUT', 'empty/plain.txt', 'A few words.')
  bucket.requests.splice(0)
  const kb = await library.create({ sources: [source({ prefix: 'empty/' })] })
  expect(await library.settle(kb)).toMatchObject({ documents: { total: 7, ready: 1, failed: 6 } })
  for (const { name, status, error, size } of await documentsOf(kb))
    if (name === 'plain.txt') expect(status).toBe('ready')
    else {
      expect(error).toMatch(new RegExp(`This object is empty: \\S*${name} has 0 bytes`))
      expect(size).toBe(0)
    }
  const read = bucket.requests.filter(({ path }) => path.startsWith('/files/empty/'))
  expect(read.map(({ path }) => path)).toEqual(['/files/empty/plain.txt'])
})

test('a bucket that refuses access fails, without revealing its secret', async () => {
  const secret_access_key = 'the-secret-that-nobody-sees'
  const written: string[] = []
  const { log } = server.server.services
  const levels = ['info', 'warn', 'error'] as const
  for (const level of levels)
    log[level] = ((...said: unknown[]) => void written.push(JSON.stringify(said, errorsToo))) as never
  const kb = await library.create({ sources: [source({ secret_access_key })] })
  const status = await library.settle(kb)
  expect(status).toMatchObject({
    status: 'failed',
    sources: [{ status: 'failed', error: expect.any(String) }],
  })
  const shown = await library.call('GET', 'get', { kb_id: kb })
  expect(shown.body.sources[0].config).toEqual({ ...source().config, secret_access_key: undefined })
  const audit = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}&limit=100`, {
    token: person.token,
  })
  expect(audit.text).toContain('kb_source')
  const rows = await sql()`select config::text, secrets, error from kb_sources where kb_id = ${kb}`
  const jobs = await sql()`select data::text from jobs.job where name like 'kb-%'`
  const all = [shown.text, JSON.stringify(status), audit.text, JSON.stringify([rows, jobs]), ...written].join(
    '\n',
  )
  expect(written.length).toBeGreaterThan(0)
  expect(all).not.toContain(secret_access_key)
  expect(all).not.toContain('Signature=')
})

const errorsToo = (_key: string, value: unknown): unknown =>
  value instanceof Error ? `${value.stack} ${String(value.cause)}` : value

test('only members with kb:read receive the progress of an ingestion', async () => {
  const reader = await addPowerlessMember(server, person.organizationId, ['kb:read'])
  const other = await addPowerlessMember(server, person.organizationId, ['chats:read'])
  const stranger = await server.signUp()
  const [hears, deaf, foreign] = await Promise.all(
    [reader, other, stranger].map(({ token }) => openReady(server.url, token)),
  )
  const kb = await library.create({ sources: [source()] })
  await library.settle(kb)
  // Only events of this knowledge base: the last event of an earlier one may still arrive.
  const told = () =>
    hears?.received.filter(({ type, data }) => type === 'kb.ingestion' && data.kb_id === kb).at(-1)
  await expect.poll(() => told()?.data.status).toBe('ready')
  expect(told()).toEqual({
    type: 'kb.ingestion',
    organization_id: person.organizationId,
    data: { kb_id: kb, status: 'ready', progress: 1 },
    created_at: expect.any(String),
  })
  for (const socket of [deaf, foreign])
    expect(socket?.received.filter(({ type }) => type === 'kb.ingestion')).toEqual([])
  for (const socket of [hears, deaf, foreign]) socket?.socket.close()
})
