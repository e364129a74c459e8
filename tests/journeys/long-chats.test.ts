import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** A page of messages ends at 2 MB, and has_more reports further messages. */

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

/** Creates a chat with messages of these lengths, each replying to the previous one, oldest first. */
async function addChat(lengths: number[]): Promise<{ chatId: string; ids: string[] }> {
  const { body: chat } = await server.call('POST', `/api/chat?org_id=${person.organizationId}`, {
    token: person.token,
    body: {},
  })
  const ids = lengths.map(() => newId())
  const { sql } = server.server.services.database
  for (const [index, length] of lengths.entries())
    await sql`
      insert into chat_messages (id, organization_id, user_id, chat_id, parent_message_id, role, content, status)
      values (${ids[index] as string}, ${person.organizationId}, ${person.userId}, ${chat.id},
        ${ids[index - 1] ?? null}, ${index % 2 === 0 ? 'user' : 'assistant'}, repeat('ä', ${length / 2}), 'complete')`
  await sql`update chats set leaf_message_id = ${ids.at(-1) ?? null} where id = ${chat.id}`
  return { chatId: chat.id, ids }
}

/** Returns the ids on each page of a chat, newest page first. */
async function readPages(chatId: string, query: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await server.call(
      'GET',
      `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}${query}${at}`,
      { token: person.token },
    )
    pages.push(body.messages.map(({ id }: { id: string }) => id))
    expect(body.pagination.has_more).toBe(body.pagination.next_cursor !== null)
    cursor = body.pagination.next_cursor
  }
  return pages
}

test.each(['', '&branches=all'])('a page has only a few messages of 1 MB%s', async (query) => {
  const { chatId, ids } = await addChat(Array.from({ length: 7 }, () => 1_000_000))
  const pages = await readPages(chatId, query)
  expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 1])
  expect(pages.toReversed().flat()).toEqual(ids)
})

test.each(['', '&branches=all'])(
  'each message is on exactly one page, regardless of length%s',
  async (query) => {
    const lengths = [
      10, 1_999_990, 10, 2, 3_000_000, 500_000, 500_000, 999_998, 2, 4_000_000, 8, 0, 2_000_000,
    ]
    const { chatId, ids } = await addChat(lengths)
    for (const limit of ['', '&limit=2'])
      expect((await readPages(chatId, query + limit)).toReversed().flat(), limit).toEqual(ids)
  },
)

test.each(['', '&branches=all'])('small messages fill whole pages%s', async (query) => {
  const { chatId, ids } = await addChat(Array.from({ length: 230 }, () => 2_000))
  const pages = await readPages(chatId, query)
  expect(pages.map((page) => page.length)).toEqual([100, 100, 30])
  expect(pages.toReversed().flat()).toEqual(ids)
})
