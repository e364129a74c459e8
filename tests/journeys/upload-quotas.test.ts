import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { outsideTransaction } from '#database/ambient.ts'
import type { Person } from '#tests/support/client.ts'
import { countLocked } from '#tests/support/locks.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** How files count against the quota, who may use them, and their deletion together with their owner record. */

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const services = () => server.server.services
const sql = () => services().database.sql
const text = (size: number, name = 'a.txt') => ({ name, bytes: 'x'.repeat(size) })

async function personWith(features: Record<string, unknown> = {}): Promise<Person> {
  const person = await server.signUp()
  await sql()`
    update organizations set features = ${JSON.stringify(features)}::text::jsonb where id = ${person.organizationId}`
  return person
}
const chatOf = async (person: Person): Promise<string> =>
  (await server.call('POST', `/api/chat?org_id=${person.organizationId}`, { token: person.token, body: {} }))
    .body.id
const deleteChat = (person: Person, chatId: string) =>
  server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, {
    token: person.token,
  })

async function storedBytes({ organizationId }: Person): Promise<number> {
  const [row] = await sql()`select stored_bytes from organizations where id = ${organizationId}`
  return Number(row?.['stored_bytes'])
}
/** Counts an organization's files on disk and rows in the database. */
async function counts({ organizationId }: Person): Promise<{ files: number; rows: number }> {
  const folder = join(services().config.dataDir, 'files', organizationId)
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : []
  const rows = await sql()`select id from uploads where organization_id = ${organizationId}`
  return { files: files.length, rows: rows.length }
}
const read = async (url: string): Promise<number> =>
  (await fetch(server.url + new URL(url).pathname + new URL(url).search)).status

describe('the quota of an organization', () => {
  test('is exact when 30 concurrent files compete for the space of 10', async () => {
    const person = await personWith({ file_upload: 10_000, chat_uploads: 100 })
    const chatId = await chatOf(person)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        server.upload(person, text(1_000), index % 2 ? chatId : undefined),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    const refused = answers.filter(({ status }) => status === 402)
    expect(refused).toHaveLength(20)
    expect(refused[0]?.body).toMatchObject({ code: 'upload.quota' })
    expect(await storedBytes(person)).toBe(10_000)
    expect(await counts(person)).toEqual({ files: 10, rows: 10 })
    expect((await server.upload(person, text(1))).status).toBe(402)
  })

  test('is freed with the chat, whose files are deleted from the disk', async () => {
    const person = await personWith({ file_upload: 3_000 })
    const chatId = await chatOf(person)
    const uploads = [
      await server.upload(person, text(1_000), chatId),
      await server.upload(person, text(2_000), chatId),
    ]
    expect((await server.upload(person, text(1))).status).toBe(402)
    expect((await deleteChat(person, chatId)).status).toBe(200)
    expect(await storedBytes(person)).toBe(0)
    await services().uploads.sweep()
    expect(await counts(person)).toEqual({ files: 0, rows: 0 })
    expect(readdirSync(join(services().config.dataDir, 'files', person.organizationId))).toEqual([])
    for (const { body } of uploads) expect(await read(body.url)).toBe(404)
    expect((await server.upload(person, text(3_000))).status).toBe(201)
  })

  test('is independent of other organizations', async () => {
    const [full, other] = [await personWith({ file_upload: 10 }), await personWith({ file_upload: 10 })]
    expect((await server.upload(full, text(10))).status).toBe(201)
    expect((await server.upload(full, text(1))).status).toBe(402)
    expect((await server.upload(other, text(10))).status).toBe(201)
  })
})

test('a chat accepts a maximum number of files, even concurrently, and one more after a deletion', async () => {
  const person = await personWith({ chat_uploads: 10 })
  const chatId = await chatOf(person)
  const answers = await Promise.all(Array.from({ length: 30 }, () => server.upload(person, text(10), chatId)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
  const [refused] = answers.filter(({ status }) => status !== 201)
  expect([refused?.status, refused?.body.code]).toEqual([402, 'upload.chat_full'])
  expect(await storedBytes(person)).toBe(100)
  expect(new Set(answers.map(({ body }) => body.filename).filter(Boolean))).toHaveLength(10)
  await sql()`delete from uploads where id = ${answers.find(({ status }) => status === 201)?.body.id}`
  expect((await server.upload(person, text(10), chatId)).status).toBe(201)
  expect((await server.upload(person, text(10), chatId)).status).toBe(402)
  expect((await server.upload(person, text(10))).status).toBe(201)
})

test('a file can be deleted only by its owner, which frees its bytes', async () => {
  const [person, other] = [await personWith({ file_upload: 10 }), await personWith()]
  const { body: file } = await server.upload(person, text(10))
  const remove = ({ organizationId, token }: Person) =>
    server.call('DELETE', `/api/chat/delete_upload?org_id=${organizationId}&upload_id=${file.id}`, { token })
  expect((await remove(other)).body.detail).toContain('Upload not found')
  expect((await remove(person)).body).toEqual({ message: 'Upload deleted' })
  expect((await remove(person)).status).toBe(404)
  await services().uploads.sweep()
  expect([await read(file.url), await storedBytes(person)]).toEqual([404, 0])
  expect((await server.upload(person, text(10))).status).toBe(201)
})

test('a storage name is not reused before its last file is deleted from the disk', async () => {
  const person = await personWith()
  const chatId = await chatOf(person)
  const first = await server.upload(person, text(10), chatId)
  await sql()`delete from uploads where id = ${first.body.id}`
  const second = await server.upload(person, text(20), chatId)
  expect(new URL(second.body.url).pathname).not.toBe(new URL(first.body.url).pathname)
  await services().uploads.sweep()
  expect([await read(first.body.url), await read(second.body.url)]).toEqual([404, 200])
})

test("another user's chat, or a deleted one, accepts no file", async () => {
  const [person, other] = [await personWith(), await personWith()]
  const foreign = await chatOf(other)
  const deleted = await chatOf(person)
  await server.call('PUT', `/api/chat?org_id=${person.organizationId}&chat_id=${deleted}`, {
    token: person.token,
    body: { status: 'DELETED' },
  })
  for (const chatId of [foreign, deleted, '00000000-0000-4000-8000-000000000000']) {
    const answer = await server.upload(person, text(10), chatId)
    expect([answer.status, answer.body.detail]).toEqual([404, 'Chat session not found'])
  }
  expect(await counts(person)).toEqual({ files: 0, rows: 0 })
  expect(await storedBytes(person)).toBe(0)
})

describe('an incomplete file', () => {
  test('leaves nothing if the storage fails: 503, and the quota is freed', async () => {
    const person = await personWith()
    // A file occupies the path of the folder, so that the upload cannot be stored.
    const folder = join(services().config.dataDir, 'files', person.organizationId)
    await server.upload(await personWith(), text(1)) // creates files/
    writeFileSync(folder, 'no folder')
    const answer = await server.upload(person, text(10))
    expect([answer.status, answer.body.code]).toEqual([503, 'server.unavailable'])
    expect(await storedBytes(person)).toBe(0)
    rmSync(folder)
    expect(await counts(person)).toEqual({ files: 0, rows: 0 })
    await services().uploads.sweep()
    expect((await server.upload(person, text(10))).status).toBe(201)
    expect(await counts(person)).toEqual({ files: 1, rows: 1 })
    expect(readdirSync(join(services().config.dataDir, 'incoming'))).toEqual([])
  })

  test('is deleted if its process died, and the quota is freed', async () => {
    const person = await personWith()
    const chatId = await chatOf(person)
    await server.upload(person, text(10), chatId)
    await sql()`
      insert into uploads (id, organization_id, user_id, chat_id, source, filename, content_type, size, storage_key, status)
      values (gen_random_uuid(), ${person.organizationId}, ${person.userId}, ${chatId}, 'user', 'lost.txt',
        'text/plain', 500, ${`${person.organizationId}/${chatId}/lost.txt`}, 'pending')`
    await sql()`update organizations set stored_bytes = stored_bytes + 500 where id = ${person.organizationId}`
    await services().uploads.sweep()
    expect(await storedBytes(person)).toBe(510)
    const shown = await server.call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
    })
    expect(shown.body.file_uploads).toHaveLength(1)
    await sql()`update uploads set created_at = now() - interval '61 minutes' where status = 'pending'`
    await services().uploads.sweep()
    expect(await storedBytes(person)).toBe(10)
    expect(await counts(person)).toEqual({ files: 1, rows: 1 })
  })

  test('is deleted if its chat is deleted and swept during the upload', async () => {
    const person = await personWith()
    const chatId = await chatOf(person)
    const { storage } = services()
    const put = vi.spyOn(storage, 'put').mockImplementationOnce(async (file, content) => {
      put.mockRestore()
      expect((await deleteChat(person, chatId)).status).toBe(200)
      await services().uploads.sweep()
      await storage.put(file, content)
    })
    const answer = await server.upload(person, text(10), chatId)
    expect([answer.status, answer.body.detail]).toEqual([404, 'Chat session not found'])
    await services().uploads.sweep()
    expect(await counts(person)).toEqual({ files: 0, rows: 0 })
    expect(await storedBytes(person)).toBe(0)
  })
})

test('a file that cannot be deleted does not block the deletion of others', async () => {
  const person = await personWith()
  const stuck = `${person.organizationId}/stuck`
  await server.upload(person, text(10))
  const { body } = await server.upload(person, text(10))
  await sql()`insert into deleted_files (storage_key, created_at) values (${stuck}, now() - interval '1 day')`
  const remove = services().storage.delete
  const spy = vi.spyOn(services().storage, 'delete').mockImplementation(async (key) => {
    if (key === stuck) throw new Error('stuck')
    await remove(key)
  })
  await sql()`delete from uploads where organization_id = ${person.organizationId}`
  await expect(services().uploads.sweep()).rejects.toThrow('stuck')
  expect(await counts(person)).toEqual({ files: 0, rows: 0 })
  expect(await read(body.url)).toBe(404)
  expect(await sql()`select storage_key from deleted_files`).toEqual([{ storage_key: stuck }])
  spy.mockRestore()
  await services().uploads.sweep()
  expect(await sql()`select storage_key from deleted_files`).toHaveLength(0)
})

test('old incoming files of dead processes are deleted, but not current ones', async () => {
  await server.upload(await personWith(), text(1))
  const incoming = join(services().config.dataDir, 'incoming')
  for (const name of ['old', 'new']) writeFileSync(join(incoming, name), 'x')
  const before = Date.now() / 1000 - 3_700
  utimesSync(join(incoming, 'old'), before, before)
  await services().uploads.sweep()
  expect(readdirSync(incoming)).toEqual(['new'])
  rmSync(join(incoming, 'new'))
})

test.each(['organizations', 'users'])('deleting a row of %s deletes its files', async (table) => {
  const person = await personWith()
  await server.upload(person, text(10), await chatOf(person))
  const { body } = await server.upload(person, text(10))
  const id = table === 'users' ? person.userId : person.organizationId
  await sql()`delete from ${sql()(table)} where id = ${id}`
  await services().uploads.sweep()
  expect(await counts(person)).toEqual({ files: 0, rows: 0 })
  expect(await read(body.url)).toBe(404)
})

test('concurrent uploads and deletions lose no file', async () => {
  const person = await personWith({ chat_uploads: 1_000 })
  const chatId = await chatOf(person)
  const kept = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { status, body } = await server.upload(person, text(10), chatId)
      expect(status).toBe(201)
      if (index % 2) return body.url
      await sql()`delete from uploads where id = ${body.id}`
      await services().uploads.sweep()
      return []
    }),
  )
  await services().uploads.sweep()
  for (const url of kept.flat()) expect(await read(url)).toBe(200)
  expect(await counts(person)).toEqual({ files: 15, rows: 15 })
})

test(
  'on PostgreSQL, files added to a chat during its deletion do not stop the deletion',
  needs('PostgreSQL'),
  async () => {
    const person = await personWith()
    const chatId = await chatOf(person)
    await server.upload(person, text(10), chatId)
    const { body: loose } = await server.upload(person, text(10))
    const chat = { organization_id: person.organizationId, chat_id: chatId }
    const started: Promise<unknown>[] = []
    // Both operations wait for the organization's lock and then continue concurrently.
    await sql().begin(async (tx) => {
      await tx`select from organizations where id = ${person.organizationId} for no key update`
      const attach = () => services().uploads.attach(chat, [{ id: loose.id, filename: 'a.txt' }])
      started.push(outsideTransaction(attach))
      await waitForLock(1)
      started.push(deleteChat(person, chatId).then(({ status }) => expect(status).toBe(200)))
      await waitForLock(2)
    })
    await Promise.all(started)
    await services().uploads.sweep()
    expect((await counts(person)).files).toBe((await counts(person)).rows)
  },
)

/** Waits until `count` statements wait for a lock. */
const waitForLock = (count: number): Promise<void> =>
  expect.poll(() => countLocked(sql())).toBeGreaterThanOrEqual(count)
