import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NewFile, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { expectReadiness } from '#tests/support/readiness.ts'
import { startBucket, type TestBucket } from '#tests/support/s3.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Files in a bucket: stored, served to clients with the URL, sent to models, and removed. */

let bucket: TestBucket
let provider: Awaited<ReturnType<typeof startProvider>>
let server: TestServer
let person: Person
beforeAll(async () => {
  bucket = await startBucket()
  provider = await startProvider()
  server = await startTestServer(bucket.environment)
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
  await bucket.close()
})

const fixture = (name: string): NewFile => ({ name, bytes: readFileSync(`tests/fixtures/${name}`) })
const newest = () => bucket.requests.at(-1)

describe('a file', () => {
  test.each([
    'note.txt',
    'with spaces and ümläuts.txt',
    '日本語.txt',
    `a+b (1) it's! *~,;=&@#?$ 100%.txt`,
    '%2B%20.txt',
  ])('called %s is stored, read and removed with signed requests', async (name) => {
    const { bytes } = fixture('note.txt')
    const { status, body } = await server.upload(person, { name, bytes })
    expect([status, newest()]).toEqual([201, expect.objectContaining({ method: 'PUT', fault: undefined })])
    expect(body.filename).toBe(name)
    const whole = await fetch(body.url)
    expect([whole.status, newest()?.fault]).toEqual([200, undefined])
    expect(Buffer.from(await whole.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
    expect(whole.headers.get('content-type')).toBe('text/plain')
    const [, encoded = ''] =
      /^inline; filename\*=UTF-8''(\S+)$/.exec(whole.headers.get('content-disposition') ?? '') ?? []
    expect(decodeURIComponent(encoded)).toBe(name)
    const part = await fetch(body.url, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, Buffer.from(bytes).subarray(1, 4).toString()])

    await server.server.services.database.sql`delete from uploads where id = ${body.id}`
    await server.server.services.uploads.sweep()
    expect(newest()).toMatchObject({ method: 'DELETE', fault: undefined })
    expect((await fetch(body.url)).status).toBe(404)
  })

  test('has a URL for seven days, and any change makes it invalid', async () => {
    const { body } = await server.upload(person, fixture('note.txt'))
    const url = new URL(body.url)
    expect(url.searchParams.get('X-Amz-Expires')).toBe(String(7 * 86_400))
    url.searchParams.set('X-Amz-Expires', '600000')
    expect((await fetch(url)).status).toBe(403)
    expect((await fetch(body.url.replace('note.txt', 'other.txt'))).status).toBe(403)
  })

  test.each([
    ['picture.svg', 'image/svg+xml', 'attachment'],
    ['book.pdf', 'application/pdf', 'attachment'],
    ['picture.png', 'image/png', 'inline'],
  ])('%s has its type, %s, and is an %s', async (name, type, disposition) => {
    const { body } = await server.upload(person, fixture(name))
    const { headers } = await fetch(body.url)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-disposition')).toBe(`${disposition}; filename*=UTF-8''${name}`)
  })

  test('is not stored on the local disk', async () => {
    await server.upload(person, fixture('note.txt'))
    const dataDir = server.server.services.config.dataDir
    expect(readdirSync(`${dataDir}/incoming`)).toEqual([])
    expect(readdirSync(dataDir)).not.toContain('files')
  })
})

test("a vision model gets an image from the bucket, and an image model's result is stored there", async () => {
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  const seeing = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n3',
    config: { ...config, capabilities: ['text', 'vision'] },
  })
  const picture = fixture('picture.png')
  const { body } = await server.upload(person, picture)
  const { chatId } = await server.say(
    person,
    { model_id: seeing },
    { content: 'What?', file_uploads: [body.id] },
  )
  const sent = provider.requests.find(({ body }) => JSON.stringify(body).includes('What?'))
  expect(JSON.stringify(sent?.body)).toContain(Buffer.from(picture.bytes).toString('base64'))

  const drawing = await server.addModel(person, { provider: 'demo', version: 'parley-demo-image' })
  const { messageId } = await server.say(person, { model_id: drawing, chat_id: chatId }, { content: 'A fox' })
  const chat = await server.call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
    token: person.token,
  })
  const { media } = chat.body.messages.find(({ id }: { id: string }) => id === messageId)
  const made = await fetch(media[0].url)
  expect([made.status, made.headers.get('content-type')]).toEqual([200, media[0].mime_type])
  expect(chat.body.file_uploads).toHaveLength(1)
})

describe('an unavailable bucket', () => {
  const expectUnavailable = async () => {
    const before = await server.server.services.database.sql`
      select stored_bytes, (select count(*) from uploads) from organizations where id = ${person.organizationId}`
    const answer = await server.upload(person, fixture('note.txt'))
    expect([answer.status, answer.body.code]).toEqual([503, 'server.unavailable'])
    expect(answer.text).not.toContain('127.0.0.1')
    const after = await server.server.services.database.sql`
      select stored_bytes, (select count(*) from uploads) from organizations where id = ${person.organizationId}`
    expect(after).toEqual(before)
    await expectReadiness(server, 503)
  }

  test.each([403, 500, 503, 301])('that responds with %i fails uploads and /readyz', async (status) => {
    bucket.failWith(status)
    await expectUnavailable()
    bucket.failWith(undefined)
    await expectReadiness(server, 200)
    expect((await server.upload(person, fixture('note.txt'))).status).toBe(201)
  })

  test('that does not exist fails uploads and /readyz', async () => {
    await bucket.removeBucket()
    await expectUnavailable()
  })

  test('without a listening server fails uploads and /readyz', async () => {
    await bucket.close()
    await expectUnavailable()
    bucket = await startBucket()
  })
})
