import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RedisClient } from '#platform/redis/server.ts'
import type { Person } from '#tests/support/client.ts'
import { openPlayground, type PlaygroundStage } from '#tests/support/playground.ts'
import { needs } from '#tests/support/programs.ts'
import { startRedis } from '#tests/support/redis.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Two processes with a shared Redis, separate from other tests. */

let local: PlaygroundStage
let shared: PlaygroundStage
let other: TestServer
let redis: Awaited<ReturnType<typeof startRedis>>
const needed = needs('Redis')

beforeAll(async () => {
  local = await openPlayground()
  redis = await startRedis()
  shared = await openPlayground({ REDIS_URL: redis.url })
  other = await startTestServer({ ...shared.server.environment, PORT: '0' })
})
afterAll(async () => {
  await local.close()
  await other.stop()
  await shared.close()
  await redis.stop()
})

const MODEL = 'gpt-emu'
type Entry = { role: string; content: string; created_at: string }
const saidIn = (memory: Entry[]) => memory.map(({ role, content }) => `${role}: ${content}`)
const sentTo = ({ request }: PlaygroundStage): string[] =>
  request()
    .messages.filter(({ role }: { role: string }) => role !== 'system')
    .map(({ content }: { content: string }) => content.split('\n').at(-1))

test('messages are remembered in order, and sent with the next one', async () => {
  const person = await local.person(MODEL)
  expect(await local.memoryOf(person)).toEqual([])
  await local.ask(person, 'say: One.', { model: MODEL })
  await local.ask(person, 'say: Two.', { model: MODEL })
  const memory: Entry[] = await local.memoryOf(person)
  expect(saidIn(memory)).toEqual(['user: say: One.', 'assistant: One.', 'user: say: Two.', 'assistant: Two.'])
  const times = memory.map(({ created_at }) => created_at)
  expect(times.toSorted()).toEqual(times)
  expect(Object.keys(memory[0] ?? {})).toEqual(['role', 'content', 'created_at'])
  expect(sentTo(local)).toEqual(['say: One.', 'One.', 'say: Two.'])
})

test('memory is per user and organization, until it is cleared', async () => {
  const person = await local.person(MODEL)
  const colleague = await local.person()
  await addMemberWithRole(local.sql, person.organizationId, colleague.userId, 'member')
  await local.ask(person, 'say: One.', { model: MODEL })
  const query = `?org_id=${person.organizationId}`
  expect(await local.memoryOf(colleague, local.server, query)).toEqual([])
  await local.ask(colleague, 'say: Hi.', { model: MODEL, query })
  expect(await local.memoryOf(colleague)).toEqual([])

  const cleared = await local.server.call('DELETE', '/api/mcp_playground/memory', { token: person.token })
  expect([cleared.status, cleared.body.message]).toEqual([200, 'Playground memory cleared'])
  expect(await local.memoryOf(person)).toEqual([])
  expect(await local.memoryOf(colleague, local.server, query)).toHaveLength(2)
})

test('30 messages of direct mode are remembered, and 60 of discovery', async () => {
  const person = await local.person(MODEL)
  const { id } = await local.connectTo(person, 'Any', {})
  for (let count = 1; count <= 16; count++)
    await local.ask(person, `say: ${count}`, { ids: [id], model: MODEL })
  const direct: Entry[] = await local.memoryOf(person)
  expect(direct).toHaveLength(30)
  expect(direct[0]?.content).toBe('say: 2')
  for (let count = 1; count <= 31; count++) await local.ask(person, `say: d${count}`, { model: MODEL })
  const both: Entry[] = await local.memoryOf(person)
  expect(both).toHaveLength(60)
  expect(both[0]?.content).toBe('say: d2')
})

test('direct mode sends at most 30 remembered messages of either mode', async () => {
  const person = await local.person(MODEL)
  const { id } = await local.connectTo(person, 'Any', {})
  for (let count = 1; count <= 16; count++) await local.ask(person, `say: ${count}`, { model: MODEL })
  await local.ask(person, 'say: last', { ids: [id], model: MODEL })
  const sent = sentTo(local)
  expect(sent).toHaveLength(31)
  expect(sent[0]).toBe('say: 2')
})

test('an empty reply is not remembered', async () => {
  const person = await local.person('gpt-emu-err500')
  await local.ask(person, 'Hi', { model: 'gpt-emu-err500' })
  expect(await local.memoryOf(person)).toEqual([])
})

test('concurrent replies do not interleave', async () => {
  const person = await local.person(MODEL)
  const numbers = [1, 2, 3, 4, 5, 6]
  await Promise.all(numbers.map((number) => local.ask(person, `say: ${number}`, { model: MODEL })))
  const memory: Entry[] = await local.memoryOf(person)
  const pairs = numbers.map((_, place) => memory.slice(2 * place, 2 * place + 2))
  expect(pairs.every(([asked, said]) => asked?.content === `say: ${said?.content}`)).toBe(true)
  expect(pairs.map(([, said]) => said?.content).toSorted()).toEqual(numbers.map(String))
})

test('the model can request more results with the page token of an earlier tool result', async () => {
  const person = await local.person(MODEL)
  const inputs: unknown[] = []
  const { id } = await local.connectTo(person, 'Mail', {
    tools: [
      {
        name: 'list_mails',
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string' }, page_token: { type: 'string' } },
        },
        run: (input) => {
          inputs.push(input)
          const next =
            input['page_token'] === undefined ? { nextPageToken: 'p-2', resultSizeEstimate: 201 } : {}
          return { content: [{ type: 'text', text: JSON.stringify({ mails: ['a'], ...next }) }] }
        },
      },
    ],
  })
  const options = { ids: [id], model: MODEL }
  const first = await local.ask(person, 'TOOL:list_mails={"query":"zebra"} THEN say: One mail.', options)
  expect(JSON.stringify(first.tools.at(-1))).toContain('nextPageToken')
  await local.ask(person, 'say: You are welcome.', options)
  const more = 'TOOL:list_mails={"query":"COPY:query","page_token":"COPY:nextPageToken"} THEN say: More.'
  await local.ask(person, more, options)
  expect(inputs).toEqual([{ query: 'zebra' }, { query: 'zebra', page_token: 'p-2' }])

  await local.ask(person, 'say: That was all.', options)
  expect(JSON.stringify(local.request())).not.toContain('next_page')
})

test('with Redis, all processes share the memory, which is encrypted there', needed, async () => {
  const person: Person = await shared.person(MODEL)
  await shared.ask(person, 'say: secret-one', { model: MODEL })
  await shared.ask(person, 'say: secret-two', { model: MODEL, on: other })
  const expected = [
    'user: say: secret-one',
    'assistant: secret-one',
    'user: say: secret-two',
    'assistant: secret-two',
  ]
  expect(saidIn(await shared.memoryOf(person))).toEqual(expected)
  expect(saidIn(await shared.memoryOf(person, other))).toEqual(expected)

  const { services } = shared.server.server
  const key = `parley:playground:${person.organizationId}:${person.userId}`
  const kept = await services.redis?.run((client) => client.lRange(key, 0, -1))
  expect(kept).toHaveLength(2)
  expect(JSON.stringify(kept)).not.toContain('secret')
  const seconds = await services.redis?.run((client) => (client as RedisClient).ttl(key))
  expect(seconds).toBeGreaterThan(1_700)
  expect(seconds).toBeLessThanOrEqual(1_800)

  await shared.server.call('DELETE', '/api/mcp_playground/memory', { token: person.token })
  expect(await shared.memoryOf(person, other)).toEqual([])
})

test('while Redis is unavailable, replies work without memory', needed, async () => {
  const person = await shared.person(MODEL)
  process.kill(redis.pid, 'SIGSTOP')
  try {
    const asked = await shared.ask(person, 'say: Still here.', { model: MODEL })
    expect(asked.text).toBe('Still here.')
    expect(
      (await shared.server.call('GET', '/api/mcp_playground/memory', { token: person.token })).status,
    ).toBe(503)
  } finally {
    process.kill(redis.pid, 'SIGCONT')
  }
})
