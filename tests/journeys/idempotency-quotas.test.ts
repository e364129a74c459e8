import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** How many requests with an Idempotency-Key are kept per user, and how long large responses are kept. */

const REQUESTS_MAX = 10_000
const MEBIBYTE = 1024 * 1024

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const sql = () => server.server.services.database.sql
const sweep = (): Promise<void> => server.server.retention.sweep()

/** Creates instructions; the size of their response follows the content. */
const create = ({ token, organizationId }: Person, key: string, content = 'x', name = key): Promise<Answer> =>
  server.call('POST', `/api/instructions/create?org_id=${organizationId}`, {
    token,
    body: { name, content },
    headers: { 'idempotency-key': key },
  })

/** Fills a quota as earlier requests would. */
const fill = ({ userId }: Person, requests: number, bytes: number) =>
  sql()`
    insert into idempotent_requests (owner, route, key, request_hash, quota, user_id, answer, answered_at, created_at)
    select ${`user:${userId}`}, '/api/filled', ${randomUUID()} || number, 'h', ${`user:${userId}`}, ${userId},
      repeat('x', ${bytes}), now(), now() - interval '23 hours'
    from generate_series(1, ${requests}) as number`

const expectCounted = async (): Promise<void> => {
  const differences = await sql()`
    select quota, sum(requests) as requests, sum(bytes) as bytes from (
      select quota, requests, bytes from idempotency_quotas
      union all
      select quota, -1, -coalesce(octet_length(answer), 0) from idempotent_requests) as both_sides
    group by quota having sum(requests) <> 0 or sum(bytes) <> 0`
  expect([...differences]).toEqual([])
}

test.each([
  ['10,000 requests', REQUESTS_MAX - 2, 1],
  ['32 MiB of responses', 31, MEBIBYTE],
])('a user with %s gets 429 for new keys, but repeats and other users work', async (_, requests, bytes) => {
  const person = await server.signUp()
  const [first, later] = [randomUUID(), randomUUID()]
  await fill(person, requests, bytes)
  const kept = await create(person, first)
  expect(kept.status).toBe(201)
  await fill(person, 1, bytes)
  const full = await create(person, later)
  expect([full.status, full.body.code]).toEqual([429, 'request.too_many_keys'])
  expect(full.body.detail).toContain(
    'You have reached the limit of 10000 stored requests with an Idempotency-Key',
  )
  const retryAfter = Number(full.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThan(3_000)
  expect(retryAfter).toBeLessThanOrEqual(3_600)
  const again = await create(person, first)
  expect([again.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
    201,
    kept.body.id,
    'true',
  ])
  const { count } = await sql()`select from instructions where organization_id = ${person.organizationId}`
  expect(count).toBe(1)
  expect((await create(await server.signUp(), later)).status).toBe(201)

  await sql()`update idempotent_requests set created_at = now() - interval '25 hours' where route = '/api/filled'`
  await sweep()
  await expectCounted()
  expect((await create(person, later)).status).toBe(201)
})

test('the counts equal a recount after concurrent requests, refusals, repeats and expirations', async () => {
  const people = [await server.signUp(), await server.signUp()]
  const answers = await Promise.all(
    people.flatMap((person) =>
      Array.from({ length: 30 }, (_, at) =>
        create(person, `key ${at % 20}`.replace(' ', '-'), 'x', `n${at % 15}`),
      ),
    ),
  )
  expect(new Set(answers.map(({ status }) => status)).has(201)).toBe(true)
  await expectCounted()
  await sql()`delete from idempotent_requests where user_id = ${people[0]?.userId ?? ''}`
  await expectCounted()
  const { count } = await sql()`
    select from idempotency_quotas where quota = ${`user:${people[0]?.userId}`}`
  expect(count).toBe(0)
})

test('a large response is dropped after an hour, and its request is still not repeated', async () => {
  const person = await server.signUp()
  const model = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n20000',
    config: { base_url: `${provider.url}/v1` },
  })
  const ask = () =>
    server.call('POST', '/openai/v1/chat/completions', {
      token: person.token,
      body: { model, messages: [{ role: 'user', content: 'Hi' }] },
      headers: { 'idempotency-key': 'large' },
    })
  const first = await ask()
  expect(first.status).toBe(200)
  expect(first.text.length).toBeGreaterThan(65_536)
  expect((await ask()).text).toBe(first.text)
  await sql()`update idempotent_requests set answered_at = now() - interval '61 minutes' where key = 'large'`
  await sweep()
  await expectCounted()
  const repeat = await ask()
  expect(repeat.status).toBe(409)
  expect(repeat.text).toContain('its response is no longer stored')
  expect(kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'DEBIT'])
})
