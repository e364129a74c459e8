import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let other: TestServer | null
beforeAll(async () => {
  server = await startTestServer()
  // A second server does part of the work. The embedded database supports only one.
  other = inject('postgres') === null ? null : await startTestServer(server.environment)
})
afterAll(async () => {
  await other?.stop()
  await server.stop()
})

test('many batches leave few segments, and postings of many deleted chunks are removed', async () => {
  const { sql } = server.server.services.database
  const library = librarian(server, await server.signUp())
  const kb = await library.create()
  const add = (at: number) =>
    library.add(kb, 'text', { name: `Batch ${at}`, content: `Words of batch ${at}.` })
  for (let at = 0; at < 40; at++) {
    await add(at)
    await sleep(20)
  }
  await library.settle(kb)
  const count = async (table: string) =>
    Number((await sql`select count(*) from ${sql(table)} where kb_id = ${kb}`)[0]?.['count'])
  await expect.poll(() => count('kb_segments')).toBeLessThan(16)
  await expectSound(sql, kb)
  for (let round = 0; round < 6; round++) {
    await library.call('POST', 'reindex', { kb_id: kb }, {})
    await library.settle(kb)
  }
  const dead = async () =>
    (await sql`select dead_count from knowledge_bases where id = ${kb}`)[0]?.['dead_count']
  await expect.poll(dead).toBeLessThan(200)
  await expectSound(sql, kb)
})
