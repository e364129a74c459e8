import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The folders of a user's chats. */

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

const foldersOf = async (person: Person) =>
  (
    await server.call('GET', `/api/chat/list_folders?org_id=${person.organizationId}`, {
      token: person.token,
    })
  ).body.folders

async function addChat(person: Person, change: Record<string, unknown>): Promise<void> {
  const { token, organizationId } = person
  const { body } = await server.call('POST', `/api/chat?org_id=${organizationId}`, { token, body: {} })
  const changed = await server.call('PUT', `/api/chat?org_id=${organizationId}&chat_id=${body.id}`, {
    token,
    body: change,
  })
  expect(changed.status).toBe(200)
}

test("folders are listed by name with their number of chats, without deleted chats and other users' folders", async () => {
  const [person, stranger] = await Promise.all([server.signUp(), server.signUp()])
  expect(await foldersOf(person)).toEqual([])
  await addChat(person, { folder: 'Work' })
  await addChat(person, { folder: 'Work', status: 'ARCHIVED' })
  await addChat(person, { folder: 'Bees' })
  await addChat(person, { folder: 'Gone' })
  await addChat(person, { title: 'In no folder' })
  await addChat(stranger, { folder: 'Secret' })
  const { body } = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}&folder=Gone`, {
    token: person.token,
  })
  await server.call('PUT', `/api/chat?org_id=${person.organizationId}&chat_id=${body.data[0].id}`, {
    token: person.token,
    body: { status: 'DELETED' },
  })
  expect(await foldersOf(person)).toEqual([
    { name: 'Bees', chats: 1 },
    { name: 'Work', chats: 2 },
  ])
  const path = `/api/chat/list_folders?org_id=${person.organizationId}`
  expect((await server.call('GET', path, { token: stranger.token })).status).toBe(404)
})
