import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import {
  create,
  type Deployment,
  deploy,
  openTalk,
  readSession,
  sessionIdOf,
  talk,
  update,
  visit,
} from '#tests/support/deployments.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

/** Concurrent use of deployments, through two processes if PostgreSQL is available. */

const database = await createDatabase()
const isShared = database !== null

let provider: Awaited<ReturnType<typeof startProvider>>
let server: TestServer
let other: TestServer
beforeAll(async () => {
  provider = await startProvider()
  const environment = isShared ? { DATABASE_URL: database.url, SECRET: 's'.repeat(32) } : {}
  server = await startTestServer(environment)
  other = isShared ? await startTestServer(environment) : server
})
afterAll(async () => {
  if (isShared) await other.stop()
  await server.stop()
  await provider.close()
  await database?.drop()
})

const WIDGET = { deployment_type: 'widget' }
const limited = (limit: number, fields: object = WIDGET) =>
  deploy(server, provider, { ...fields, config: { daily_message_limit: limit } })

const takenOf = async ({ id }: Deployment): Promise<number> => {
  const { sql } = server.server.services.database
  const [row] = await sql`select taken from deployment_turns where deployment_id = ${id}`
  return row?.['taken'] ?? 0
}

test('accepts 10 of 50 concurrent messages with a limit of 10', async () => {
  const widget = await limited(10)
  const tokens = [widget.key, await visit(server, widget), await visit(server, widget)]
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      talk(index % 2 === 0 ? server : other, tokens[index % 3] ?? '', { content: `message ${index}` }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(40)
  for (const { body, headers } of refused) {
    expect(body.code).toBe('deployment.daily_limit')
    const wait = Number(headers.get('retry-after'))
    const midnight = new Date().setUTCHours(24, 0, 0, 0)
    expect(Math.abs(midnight - Date.now() - wait * 1000)).toBeLessThan(60_000)
  }
  const kinds = kindsOf(await ledgerOf(server, widget.owner))
  expect(kinds.filter((kind) => kind === 'HOLD')).toHaveLength(10)
  const session = answers.find(({ status }) => status === 200)?.sessionId ?? ''
  expect((await readSession(server, widget.key, session)).status).toBe(200)
  await update(server, widget, { config: { daily_message_limit: 11 } })
  expect((await talk(server, widget.key, { content: 'x' })).status).toBe(200)
  expect((await talk(other, widget.key, { content: 'x' })).status).toBe(429)
  await update(server, widget, { config: { daily_message_limit: null } })
  expect((await talk(other, widget.key, { content: 'x' })).status).toBe(200)
})

test('starts a new count each day, and deletes the previous one', async () => {
  const widget = await limited(1)
  expect((await talk(server, widget.key, { content: 'x' })).status).toBe(200)
  expect((await talk(server, widget.key, { content: 'x' })).status).toBe(429)
  const { sql } = server.server.services.database
  await sql`update deployment_turns set day = day - 2 where deployment_id = ${widget.id}`
  expect((await talk(server, widget.key, { content: 'x' })).status).toBe(200)
  expect(await sql`select from deployment_turns where deployment_id = ${widget.id}`).toHaveLength(1)
})

test('does not count a refused message', async () => {
  const widget = await limited(3)
  const { sql } = server.server.services.database
  const unknown = await talk(server, widget.key, { content: 'x', session_id: crypto.randomUUID() })
  expect([unknown.status, await takenOf(widget)]).toEqual([404, 0])
  const { organizationId } = widget.owner
  await sql`update credit_accounts set held = balance where organization_id = ${organizationId}`
  const poor = await Promise.all(
    Array.from({ length: 20 }, (_, index) => talk(index % 2 ? server : other, widget.key, { content: 'x' })),
  )
  // Messages that arrive while others are being refused may find the limit reached, but none is counted permanently.
  expect(new Set(poor.map(({ status }) => status))).toContain(402)
  expect(poor.every(({ status }) => status === 402 || status === 429)).toBe(true)
  expect(await takenOf(widget)).toBe(0)
  await sql`update credit_accounts set held = 0 where organization_id = ${organizationId}`
  const key = { headers: { 'idempotency-key': 'one' } }
  const twins = await Promise.all(
    Array.from({ length: 3 }, (_, index) =>
      talk(index % 2 ? server : other, widget.key, { content: 'x' }, key),
    ),
  )
  expect(new Set(twins.filter(({ status }) => status === 200).map(({ messageId }) => messageId)).size).toBe(1)
  expect(await takenOf(widget)).toBe(1)
})

test('a new key is valid from the next request on, in every process', async () => {
  const made = await deploy(server, provider)
  let key = made.key
  for (let round = 0; round < 5; round++) {
    for (const process of [server, other]) expect((await readSession(process, key, made.id)).status).toBe(404)
    const { body } = await (round % 2 ? server : other).call(
      'POST',
      `/api/agent_deploy/regenerate_key?deployment_id=${made.id}`,
      { token: made.owner.token },
    )
    for (const process of [other, server]) expect((await readSession(process, key, made.id)).status).toBe(401)
    key = body.api_key
  }
  const paths = Array.from({ length: 8 }, (_, index) =>
    (index % 2 ? server : other).call('POST', `/api/agent_deploy/regenerate_key?deployment_id=${made.id}`, {
      token: made.owner.token,
    }),
  )
  const keys = (await Promise.all(paths)).map(({ body }) => body.api_key)
  const statuses = await Promise.all(keys.map(async (one) => (await readSession(other, one, made.id)).status))
  expect(statuses.sort()).toEqual([401, 401, 401, 401, 401, 401, 401, 404].sort())
})

test('a pause applies from the next request on, in every process', async () => {
  const widget = await deploy(server, provider, WIDGET)
  const token = await visit(server, widget)
  for (const status of ['paused', 'active', 'paused'])
    for (const process of [server, other]) {
      await update(process === server ? other : server, widget, { status })
      expect((await readSession(process, token, widget.id)).status).toBe(status === 'paused' ? 403 : 404)
    }
})

test('deleting a deployment during many messages leaves nothing behind', async () => {
  const widget = await deploy(server, provider, WIDGET, 'emu-n200-gap10')
  const token = await visit(server, widget)
  const streams = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      openTalk((index % 2 ? server : other).url, token, { content: `message ${index}` }),
    ),
  )
  for (const stream of streams) await stream.take(2)
  const path = `/api/agent_deploy/delete?deployment_id=${widget.id}`
  const [deleted, ...late] = await Promise.all([
    server.call('DELETE', path, { token: widget.owner.token }),
    ...Array.from({ length: 12 }, (_, index) =>
      talk(index % 2 ? server : other, token, {
        content: 'late',
        ...(index > 6 && streams[0] && { session_id: sessionIdOf(streams[0]) }),
      }),
    ),
  ])
  expect(deleted?.status).toBe(200)
  for (const { status } of late) expect([200, 401, 404, 409]).toContain(status)
  for (const stream of streams) await stream.take()
  await expect.poll(async () => (await balanceOf(server, widget.owner)).held).toBe(0)
  const kinds = kindsOf(await ledgerOf(server, widget.owner))
  expect(kinds.filter((kind) => kind === 'HOLD')).toHaveLength(kinds.length / 2)
  const { sql } = server.server.services.database
  expect(await sql`select from chats where deployment_id = ${widget.id}`).toHaveLength(0)
  expect(await sql`select from open_holds where deployment_id = ${widget.id}`).toHaveLength(0)
})

test('concurrent deletion of an agent and creation of its deployment: exactly one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const { owner, agentId, id } = await deploy(server, provider)
    await server.call('DELETE', `/api/agent_deploy/delete?deployment_id=${id}`, { token: owner.token })
    const [gone, made] = await Promise.all([
      other.call('DELETE', `/api/agents/delete?agent_id=${agentId}`, { token: owner.token }),
      create(server, owner, agentId),
    ])
    expect([
      [200, 404],
      [409, 201],
    ]).toContainEqual([gone.status, made.status])
  }
})
