import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import {
  type LiveSocket,
  openLiveSocket,
  openReady,
  type RefusedUpgrade,
} from '#tests/support/live-socket.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, addPowerlessMember } from '#tests/support/tenants.ts'

/** Authentication of /api/ws, and the recipients of events. */

let server: TestServer
let owner: Person
let organizationId: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.signUp()
  organizationId = owner.organizationId
})
afterAll(() => server.stop())

const ready = (token: string) => openReady(server.url, token)
const refusal = (open: Parameters<typeof openLiveSocket>[1]): Promise<RefusedUpgrade> =>
  openLiveSocket(server.url, open).then(
    () => Promise.reject(new Error('it was let in')),
    (error: RefusedUpgrade) => error,
  )
const logIn = async ({ email, password }: Person): Promise<string> =>
  (await server.call('POST', '/api/auth/login', { body: { email, password } })).body.access_token
const makeKey = async (person: Person, permissions: string[]): Promise<{ id: string; key: string }> =>
  (
    await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
      token: person.token,
      body: { name: randomUUID(), permissions },
    })
  ).body
const addMember = async (role: string): Promise<Person> => {
  const person = await server.signUp()
  await addMemberWithRole(server.server.services.database.sql, organizationId, person.userId, role)
  return person
}

interface Listener extends LiveSocket {
  person: Person
}

const connect = async (person: Person, token = person.token): Promise<Listener> => ({
  ...(await ready(token)),
  person,
})

/**
 * Publishes an event of the organization, then a marker to each listener: an event that hasn't arrived before the
 * marker won't arrive.
 */
async function heardBy(
  listeners: Record<string, Listener>,
  to: { permission: 'chats:read' | 'kb:write'; userId?: string },
): Promise<string[]> {
  const { events } = server.server.services
  const id = randomUUID()
  events.publish({ type: 'chat.title_updated', organizationId, data: { id }, to })
  const heard: string[] = []
  for (const [name, { person, until, received }] of Object.entries(listeners)) {
    const mark = randomUUID()
    for (const place of new Set([organizationId, person.organizationId]))
      events.publish({
        type: mark,
        organizationId: place,
        data: {},
        to: { permission: 'chats:read', userId: person.userId },
      })
    await until(mark).catch(() => {})
    if (received.some((message) => message.data?.id === id)) heard.push(name)
  }
  return heard
}

describe('connections are accepted', () => {
  test('with a Bearer token, an API key in either header, and under /v1', async () => {
    const { key } = await makeKey(owner, ['chats:read'])
    for (const headers of [
      { authorization: `Bearer ${owner.token}` },
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
    ]) {
      const live = await openLiveSocket(server.url, { headers })
      expect(await live.next()).toEqual({ type: 'ready' })
      live.socket.close()
    }
    const live = await openLiveSocket(server.url, { token: owner.token, path: '/v1/ws?x=1' })
    expect(await live.next()).toEqual({ type: 'ready' })
    live.socket.close()
    expect((await live.closed).code).toBe(1005)
  })

  test('with a first message that contains a token or key', async () => {
    const { key } = await makeKey(owner, ['chats:read'])
    for (const token of [owner.token, key]) {
      const live = await openLiveSocket(server.url)
      live.send({ type: 'auth', token })
      expect(await live.next()).toEqual({ type: 'ready' })
      live.socket.close()
    }
  })
})

describe('connections are refused', () => {
  const forged = (token: string) => `${token.slice(0, -6)}AAAAAA`

  test('at the upgrade, with the same error as other endpoints', async () => {
    const { key, id } = await makeKey(owner, ['chats:read'])
    await server.call('DELETE', `/api/api_keys/delete?api_key_id=${id}`, { token: owner.token })
    for (const token of [forged(owner.token), 'nonsense', key, `sk_${'x'.repeat(43)}`]) {
      const { status, body, headers } = await refusal({ token })
      const code = token.startsWith('sk_') ? 'auth.invalid_key' : 'auth.invalid_token'
      expect([status, body.code]).toEqual([401, code])
      expect(headers['x-request-id']).toBe(body.request_id)
    }
    expect((await refusal({ headers: { authorization: 'Basic eDp5' } })).status).toBe(401)
    const enveloped = await refusal({ token: 'nonsense', path: '/v1/ws' })
    expect([enveloped.status, enveloped.body.error.code]).toEqual([401, 'unauthorized'])
  })

  test('with a session that was signed out', async () => {
    const person = await server.signUp()
    await server.call('POST', '/api/auth/logout', { body: { refresh_token: person.refreshToken } })
    expect((await refusal({ token: person.token })).status).toBe(401)
    const live = await openLiveSocket(server.url)
    live.send({ type: 'auth', token: person.token })
    expect((await live.next()).detail).toBe('Invalid or expired token. Sign in again.')
    expect((await live.closed).code).toBe(4401)
  })

  test.each([
    ['a forged token', () => ({ type: 'auth', token: forged(owner.token) }), 4401],
    ['an empty token', () => ({ type: 'auth', token: '' }), 4401],
    ['a token that is not a string', () => ({ type: 'auth', token: 7 }), 4401],
    ['another message', () => ({ type: 'hello' }), 4401],
    ['null', () => 'null', 4401],
    ['invalid JSON', () => '{"type":', 1007],
  ])('after a first message with %s', async (_name, message, code) => {
    const live = await openLiveSocket(server.url)
    live.send(message())
    expect(await live.next()).toMatchObject({ type: 'error', detail: expect.any(String) })
    expect((await live.closed).code).toBe(code)
  })

  test('at every other path with 404, and without an upgrade with 426', async () => {
    for (const path of ['/', '/api/chat/list', '/healthz', '/api/ws/more', '/nowhere']) {
      const { status, body } = await refusal({ token: owner.token, path })
      expect([path, status, body.detail]).toEqual([path, 404, `Endpoint not found: GET ${path}`])
    }
    const plain = await server.call('GET', '/api/ws', { token: owner.token })
    expect([plain.status, plain.body.code]).toEqual([426, 'request.upgrade_needed'])
  })
})

describe('an event', () => {
  test('has its organization and time, and reaches only the sockets of its user', async () => {
    const [member, stranger] = [await addMember('member'), await server.signUp()]
    const elsewhere = await connect(stranger)
    const sockets = { first: await connect(owner), second: await connect(owner, await logIn(owner)) }
    const to = { permission: 'chats:read', userId: owner.userId } as const
    expect(await heardBy({ ...sockets, member: await connect(member), elsewhere }, to)).toEqual([
      'first',
      'second',
    ])
    server.server.services.events.publish({
      type: 'chat.title_updated',
      organizationId,
      data: { a: 'ü' },
      to,
    })
    const message = (await sockets.first.until('chat.title_updated')).at(-1)
    expect(message).toEqual({
      type: 'chat.title_updated',
      organization_id: organizationId,
      data: { a: 'ü' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  test('reaches the members and keys of its organization that have the permission', async () => {
    const [member, guest, stranger] = [
      await addMember('member'),
      await addMember('guest'),
      await server.signUp(),
    ]
    const [writer, reader] = [
      await addPowerlessMember(server, organizationId, ['kb:write', 'chats:read']),
      await addPowerlessMember(server, organizationId, ['chats:read']),
    ]
    const keyOf = async (person: Person, permissions: string[]) => (await makeKey(person, permissions)).key
    const sockets = {
      owner: await connect(owner),
      'key of the owner': await connect(owner, await keyOf(owner, ['kb:*', 'chats:read'])),
      'key with any': await connect(owner, await keyOf(owner, ['*:write', 'chats:read'])),
      'key without': await connect(owner, await keyOf(owner, ['chats:read', 'kb:read'])),
      member: await connect(member),
      guest: await connect(guest),
      'custom role with': await connect(writer),
      'custom role without': await connect(reader),
      stranger: await connect(stranger),
    }
    expect(await heardBy(sockets, { permission: 'kb:write' })).toEqual([
      'owner',
      'key of the owner',
      'key with any',
      'member',
      'custom role with',
    ])
    // A key receives no events of its own user for which it lacks the permission.
    const own = { permission: 'kb:write', userId: owner.userId } as const
    expect(await heardBy(sockets, own)).toEqual(['owner', 'key of the owner', 'key with any'])
  })

  test('for one user reaches only that user, in order with other events', async () => {
    const member = await addMember('member')
    const sockets = [await ready(owner.token), await ready(member.token)]
    const { events } = server.server.services
    const publish = (type: string, userId?: string) =>
      events.publish({
        type,
        organizationId,
        data: {},
        to: { permission: 'chats:read', ...(userId !== undefined && { userId }) },
      })
    for (const type of ['first', 'second', 'third']) {
      publish(type)
      publish('of the owner', owner.userId)
    }
    publish('last')
    const heard = await Promise.all(sockets.map((socket) => socket.until('last')))
    expect(heard.map((messages) => messages.map(({ type }) => type))).toEqual([
      ['first', 'of the owner', 'second', 'of the owner', 'third', 'of the owner', 'last'],
      ['first', 'second', 'third', 'last'],
    ])
  })

  test('of another organization does not reach a key, although its user is in both', async () => {
    const other = await server.signUp()
    await addMemberWithRole(server.server.services.database.sql, other.organizationId, owner.userId, 'admin')
    const sockets = [await ready(owner.token), await ready((await makeKey(owner, ['*:*'])).key)]
    const { events } = server.server.services
    const to = { permission: 'chats:read', userId: owner.userId } as const
    events.publish({ type: 'of the other', organizationId: other.organizationId, data: {}, to })
    events.publish({ type: 'mark', organizationId, data: {}, to })
    const heard = await Promise.all(sockets.map((socket) => socket.until('mark')))
    expect(heard.map((messages) => messages.map(({ type }) => type))).toEqual([
      ['of the other', 'mark'],
      ['mark'],
    ])
  })
})

describe('from the next event on', () => {
  test('a changed role applies', async () => {
    const member = await addMember('member')
    const sockets = { member: await connect(member) }
    expect(await heardBy(sockets, { permission: 'kb:write' })).toEqual(['member'])
    const { sql } = server.server.services.database
    const become = (role: string) => sql`
      update memberships set role_id = (
        select id from roles where organization_id = ${organizationId} and name = ${role})
      where organization_id = ${organizationId} and user_id = ${member.userId}`
    await become('guest')
    expect(await heardBy(sockets, { permission: 'kb:write' })).toEqual([])
    await become('admin')
    expect(await heardBy(sockets, { permission: 'kb:write' })).toEqual(['member'])
  })

  test('a suspended member gets no events until reactivated', async () => {
    const member = await addMember('member')
    const sockets = { member: await connect(member) }
    const { sql } = server.server.services.database
    const become = (status: string) => sql`
      update memberships set status = ${status}
      where organization_id = ${organizationId} and user_id = ${member.userId}`
    await become('suspended')
    expect(await heardBy(sockets, { permission: 'chats:read' })).toEqual([])
    await become('active')
    expect(await heardBy(sockets, { permission: 'chats:read' })).toEqual(['member'])
  })

  test('a removed member gets no events, and stays connected', async () => {
    const member = await addMember('member')
    const sockets = { member: await connect(member) }
    expect(await heardBy(sockets, { permission: 'chats:read' })).toEqual(['member'])
    const path = `/api/users/remove?org_id=${organizationId}&user_id=${member.userId}`
    expect((await server.call('DELETE', path, { token: owner.token })).status).toBe(200)
    expect(await heardBy(sockets, { permission: 'chats:read' })).toEqual([])
    expect(sockets.member.socket.readyState).toBe(sockets.member.socket.OPEN)
  })

  test('a revoked session or key is closed without events, and others of the user get them', async () => {
    const member = await addMember('admin')
    const { key, id } = await makeKey(member, ['chats:read'])
    const sockets = {
      revoked: await connect(member),
      key: await connect(member, key),
      kept: await connect(member, await logIn(member)),
    }
    await server.call('POST', '/api/auth/logout', { body: { refresh_token: member.refreshToken } })
    const { sql } = server.server.services.database
    await sql`delete from api_keys where id = ${id}`
    expect(await heardBy(sockets, { permission: 'chats:read', userId: member.userId })).toEqual(['kept'])
    for (const dead of [sockets.revoked, sockets.key])
      expect(await dead.closed).toEqual({ code: 4401, reason: 'auth.invalid_token' })
  })
})
