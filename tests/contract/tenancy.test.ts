import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq, sql } from '#database/drizzle.ts'
import { chatMessages, chats } from '#database/schema/chat.ts'
import { sqlStateOf } from '#database/sql-state.ts'
import { scopeDatabase } from '#platform/access/scoped-database.ts'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Tests the two layers of tenant isolation, each with the other one disabled. */

let server: TestServer
let owner: Person
let stranger: Person
let chatId: string
beforeAll(async () => {
  server = await sharedTestServer()
  owner = await server.signUp()
  stranger = await server.signUp()
  const chat = await server.call('POST', `/api/chat?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { title: 'Secret' },
  })
  chatId = chat.body.id
})
afterAll(() => server.stop())

const scopeOf = ({ organizationId, userId }: Pick<Person, 'organizationId' | 'userId'>) =>
  scopeDatabase(server.server.services, {
    organizationId,
    userId,
    apiKeyId: null,
    client: { address: '127.0.0.1', userAgent: null, language: null, requestId: randomUUID() },
  })

describe('the first layer: a scope adds its organization and user to every statement', () => {
  test('reads, changes and deletes no foreign row, even if the database would allow it', async () => {
    // The second layer is disabled here: these statements contain no cross-tenant reference, so no foreign key
    // could refuse them.
    const foreign = scopeOf(stranger)
    expect(await foreign.select(chats, { where: eq(chats.id, chatId) })).toEqual([])
    expect(await foreign.select(chats)).toEqual([])
    expect(await foreign.update(chats, eq(chats.id, chatId), { title: 'Taken' })).toEqual([])
    expect(await foreign.update(chats, undefined, { title: 'Taken' })).toEqual([])
    expect(await foreign.delete(chats, undefined)).toEqual([])
    expect(await foreign.transaction((tx) => tx.select(chats))).toEqual([])
    const [row] = await scopeOf(owner).select(chats)
    expect(row).toMatchObject({ id: chatId, title: 'Secret' })
  })

  test('gives no access to another member of the same organization', async () => {
    const colleague = scopeOf({ organizationId: owner.organizationId, userId: stranger.userId })
    expect(await colleague.select(chats)).toEqual([])
  })

  test('inserts a row with the owner of the scope, regardless of its values', async () => {
    const smuggled = { id: randomUUID(), title: 't', status: 'ACTIVE', organizationId: owner.organizationId }
    const row = await scopeOf(stranger).insert(chats, smuggled as never)
    expect(row).toMatchObject({ organizationId: stranger.organizationId, userId: stranger.userId })
  })

  test('cannot move a row to another owner', async () => {
    const moved = { organizationId: stranger.organizationId, userId: stranger.userId, title: 'Secret' }
    await scopeOf(owner).update(chats, eq(chats.id, chatId), moved as never)
    expect((await scopeOf(owner).select(chats)).map(({ id }) => id)).toContain(chatId)
    expect((await scopeOf(stranger).select(chats)).map(({ id }) => id)).not.toContain(chatId)
  })

  test('copies only rows in the scope and their dependents, into the scope', async () => {
    const title = sql`coalesce(${chatMessages.content}, 'nothing')`
    const copyOf = (id: string) => ({
      from: chats,
      leftJoin: { table: chatMessages, on: eq(chatMessages.chatId, chatId) },
      where: eq(chats.id, id),
    })
    const { organizationId, userId } = owner
    const message = { id: randomUUID(), role: 'user', content: 'said', status: 'complete' } as const
    await scopeOf(owner).insert(chatMessages, { ...message, chatId })
    const own = await scopeOf(stranger).insert(chats, { id: randomUUID(), title: 'Own', status: 'ACTIVE' })
    const row = { id: sql`gen_random_uuid()`, title, status: 'ACTIVE' as const, organizationId, userId }

    expect(await scopeOf(stranger).copy(copyOf(chatId), chats, row)).toBe(0)
    expect(await scopeOf(stranger).copy(copyOf(own.id), chats, row)).toBe(1)
    expect((await scopeOf(stranger).select(chats)).map((chat) => chat.title)).toContain('nothing')
    expect(await scopeOf(owner).copy(copyOf(chatId), chats, row)).toBe(1)
    expect((await scopeOf(owner).select(chats)).map((chat) => chat.title)).toContain('said')
  })

  test('refuses a statement outside the open transaction instead of waiting forever', async () => {
    const database = scopeOf(owner)
    const beside = database.transaction(async () => database.select(chats))
    const cause = expect.objectContaining({ message: expect.stringContaining('must use the transaction') })
    await expect(beside).rejects.toMatchObject({ cause })
  })
})

describe('the second layer: the database refuses a reference to another tenant', () => {
  // The first layer is disabled here: these statements bypass the scope.
  const refused = async (statement: Promise<unknown>): Promise<string | undefined> =>
    statement.then(
      () => undefined,
      (error: unknown) => sqlStateOf(error),
    )
  const FOREIGN_KEY_VIOLATION = '23503'

  test.each([
    ['another organization', () => ({ organizationId: stranger.organizationId, userId: owner.userId })],
    ['another user', () => ({ organizationId: owner.organizationId, userId: stranger.userId })],
  ])('a message of %s in this chat', async (_what, other) => {
    const { db } = server.server.services.database
    const message = { id: randomUUID(), chatId, role: 'user', content: 'x', status: 'complete' } as const
    expect(await refused(db.insert(chatMessages).values({ ...message, ...other() }))).toBe(
      FOREIGN_KEY_VIOLATION,
    )
  })

  test('a message under a message of another chat', async () => {
    const { db } = server.server.services.database
    const own = {
      organizationId: owner.organizationId,
      userId: owner.userId,
      role: 'user',
      content: 'x',
    } as const
    const parent = { ...own, id: randomUUID(), chatId, status: 'complete' } as const
    await db.insert(chatMessages).values(parent)
    const other = await server.call('POST', `/api/chat?org_id=${owner.organizationId}`, {
      token: owner.token,
      body: {},
    })
    const child = { ...parent, id: randomUUID(), chatId: other.body.id, parentMessageId: parent.id }
    expect(await refused(db.insert(chatMessages).values(child))).toBe(FOREIGN_KEY_VIOLATION)
  })

  test("a membership with another organization's role", async () => {
    const { sql } = server.server.services.database
    const [role] = await sql`select id from roles where organization_id = ${stranger.organizationId} limit 1`
    const statement = sql`
      update memberships set role_id = ${role?.['id']} where organization_id = ${owner.organizationId}`
    expect(await refused(statement)).toBe(FOREIGN_KEY_VIOLATION)
  })
})

describe('the ledger in the database', () => {
  test.each([
    ['changed', (sql: Sql) => sql`update ledger_entries set amount = 0`],
    ['deleted', (sql: Sql) => sql`delete from ledger_entries`],
    ['emptied', (sql: Sql) => sql`truncate ledger_entries`],
  ])('cannot be %s', async (_what, statement) => {
    await expect(statement(server.server.services.database.sql)).rejects.toThrow('never changed')
  })
})

type Sql = TestServer['server']['services']['database']['sql']

test('the owner of an organization cannot see the chats of its members', async () => {
  const made = await server.call('POST', '/api/org/create_org?name=Shared', { token: owner.token })
  const org = `org_id=${made.body.id}`
  await addMemberWithRole(server.server.services.database.sql, made.body.id, stranger.userId, 'member')
  const chat = await server.call('POST', `/api/chat?${org}`, { token: stranger.token, body: {} })
  expect(chat.status).toBe(201)
  const seen = await server.call('GET', `/api/chat?${org}&chat_id=${chat.body.id}`, { token: owner.token })
  expect([seen.status, seen.body.detail]).toEqual([404, 'Chat session not found'])
})
