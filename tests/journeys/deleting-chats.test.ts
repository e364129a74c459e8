import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

const make = async ({ token }: Person, organizationId: string): Promise<string> =>
  (await server.call('POST', `/api/chat?org_id=${organizationId}`, { token, body: { title: 'Chat' } })).body
    .id
const remove = ({ token }: Person, chat_ids: string[]) =>
  server.call('POST', '/api/chat/bulk_delete_sessions', { token, body: { chat_ids } })

test('chats of an organization where the person may not delete chats are refused, and none is deleted', async () => {
  const owner = await server.signUp()
  const permissions = ['chats:read', 'chats:write']
  const member = await addPowerlessMember(server, owner.organizationId, permissions)
  const own = await make(member, member.organizationId)
  const kept = await make(member, owner.organizationId)
  const foreign = await make(owner, owner.organizationId)
  for (const ids of [[kept], [own, kept]]) {
    const { status, body } = await remove(member, ids)
    expect([status, body.detail]).toEqual([403, 'Missing permission: chats:delete'])
  }
  expect((await remove(member, [own, foreign])).body).toMatchObject({ deleted: 1, not_found: [foreign] })
})

test('an API key without chats:delete is refused', async () => {
  const person = await server.signUp()
  const chat = await make(person, person.organizationId)
  const { body: key } = await server.call('POST', '/api/api_keys/create', {
    token: person.token,
    body: { name: 'Reader', org_id: person.organizationId, permissions: ['chats:read'] },
  })
  const refused = await remove({ ...person, token: key.key }, [chat])
  expect([refused.status, refused.body.code]).toEqual([403, 'access.missing_permission'])
})
