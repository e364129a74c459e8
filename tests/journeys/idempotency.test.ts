import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createPasswords } from '#platform/secrets/passwords.ts'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { roleOf } from '#tests/support/tenants.ts'

/* The behavior of an Idempotency-Key. contract/repeated-requests shows that every POST supports it. */

const HELD_PASSWORD = 'battery staple'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const post = (path: string, body: unknown, key: string, token?: string): Promise<Answer> =>
  server.call('POST', path, {
    ...(body !== undefined && { body }),
    ...(token !== undefined && { token }),
    headers: { 'idempotency-key': key },
  })
const newChat = (title: string, key: string, { token, organizationId } = person): Promise<Answer> =>
  post(`/api/chat?org_id=${organizationId}`, { title }, key, token)
const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true'
const rows = () => server.server.services.database.sql`select * from idempotent_requests`

const withModel = async (version: string, more: object = {}): Promise<Person> =>
  (await signUpWithModel(server, provider, version, more)).person

describe('a key', () => {
  test('belongs to one user and one route, with or without /v1', async () => {
    const [key, other] = [randomUUID(), await server.signUp()]
    const first = await newChat('a', key)
    const foreign = await newChat('a', key, other)
    expect([foreign.status, isReplayed(foreign)]).toEqual([201, false])
    expect(foreign.body.id).not.toBe(first.body.id)
    const elsewhere = await post(
      `/api/instructions/create?org_id=${person.organizationId}`,
      { name: key, content: 'x' },
      key,
      person.token,
    )
    expect([elsewhere.status, isReplayed(elsewhere)]).toEqual([201, false])
    const enveloped = await post(
      `/v1/chat?org_id=${person.organizationId}`,
      { title: 'a' },
      key,
      person.token,
    )
    expect(enveloped.body).toEqual({ status: 'success', data: first.body })
    expect(isReplayed(enveloped)).toBe(true)
  })

  test('is refused with another body', async () => {
    const key = randomUUID()
    await newChat('a', key)
    const other = await newChat('b', key)
    expect([other.status, other.body.code]).toEqual([409, 'request.idempotency_reused'])
  })

  test.each(['', 'a b', 'é', 'x'.repeat(256)])('must be visible ASCII: %j', async (key) => {
    const answer = await newChat('a', key)
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('Idempotency-Key')])
  })

  test('is ignored for other methods', async () => {
    const headers = { 'idempotency-key': 'a b' }
    expect((await server.call('GET', '/api/users/me', { token: person.token, headers })).status).toBe(200)
    const change = { token: person.token, headers, body: { first_name: 'Eve' } }
    expect((await server.call('PUT', '/api/users/me', change)).status).toBe(200)
    expect((await server.call('PUT', '/api/users/me', change)).headers.has('idempotent-replayed')).toBe(false)
  })

  test('can be reused after a refusal', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    const path = `/api/org/create_org?name=${name}`
    const taken = await post(path, undefined, randomUUID(), person.token)
    expect((await post(path, undefined, key, person.token)).status).toBe(409)
    await server.call('DELETE', `/api/org/delete?org_id=${taken.body.id}`, { token: person.token })
    const made = await post(path, undefined, key, person.token)
    expect([made.status, isReplayed(made)]).toEqual([201, false])
    expect((await post(path, undefined, key, person.token)).body).toEqual(made.body)
  })

  test('does not replay a login to a request with another password', async () => {
    const key = randomUUID()
    const sign = (password: string) => post('/api/auth/login', { email: person.email, password }, key)
    const first = await sign(person.password)
    expect((await sign('another password')).status).toBe(401)
    const again = await sign(person.password)
    expect([again.body, isReplayed(again)]).toEqual([first.body, true])
  })

  test('expires after a day', async () => {
    const key = randomUUID()
    const first = await newChat('a', key)
    const { sql } = server.server.services.database
    const age = () =>
      sql`update idempotent_requests set created_at = now() - interval '25 hours' where key = ${key}`
    await age()
    const second = await newChat('b', key)
    expect([second.status, isReplayed(second)]).toEqual([201, false])
    expect(second.body.id).not.toBe(first.body.id)
    await age()
    expect((await rows()).filter((row) => row['key'] === key)).toHaveLength(1)
    await server.server.retention.sweep()
    expect((await rows()).filter((row) => row['key'] === key)).toEqual([])
  })
})

test('bulk creation continues after an item fails', async () => {
  const [key, email] = [randomUUID(), `${randomUUID()}@example.com`]
  const role_id = await roleOf(server, person, 'guest')
  const invitations = [email, email, `${randomUUID()}@example.com`].map((one) => ({ email: one, role_id }))
  const path = `/api/invitations/bulk_create?org_id=${person.organizationId}`
  const first = await post(path, { invitations }, key, person.token)
  const statuses = first.body.data.map(({ status }: { status: string }) => status)
  expect(statuses).toEqual(['created', 'error', 'created'])
  expect((await post(path, { invitations }, key, person.token)).body).toEqual(first.body)
})

test('requests and responses with a key are unreadable in the table', async () => {
  const email = `${randomUUID()}@example.com`
  const password = `password ${randomUUID()}`
  const names = { first_name: 'Ada', last_name: 'Lovelace' }
  const signedUp = await post('/api/auth/signup', { email, password, ...names }, randomUUID())
  const wish = { name: 'k', permissions: ['chats:read'] }
  const path = `/api/api_keys/create?org_id=${person.organizationId}`
  const made = await post(path, wish, randomUUID(), person.token)
  expect([signedUp.status, made.status]).toEqual([201, 201])
  const dump = JSON.stringify(await rows())
  for (const secret of [
    made.body.key,
    email,
    password,
    signedUp.body.access_token,
    signedUp.body.refresh_token,
  ])
    expect(dump).not.toContain(secret)
})

describe('a refused request keeps its side effects', () => {
  test('wrong passwords are counted', async () => {
    const { email } = await server.signUp()
    const { sql } = server.server.services.database
    const attempts = async () =>
      (await sql`select coalesce(sum(attempts), 0)::int as n from login_attempts`)[0]?.['n'] as number
    const before = await attempts()
    const wrong = await post('/api/auth/login', { email, password: 'wrong' }, randomUUID())
    expect(wrong.status).toBe(401)
    expect(await attempts()).toBeGreaterThan(before)
  })

  test('reuse of a refresh token ends its session', async () => {
    const thief = await server.signUp()
    const refresh = (token: string) => post('/api/auth/refresh', { refresh_token: token }, randomUUID())
    const { body } = await refresh(thief.refreshToken)
    await server.server.services.database
      .sql`update refresh_tokens set replaced_at = now() - interval '1 hour'
      where replaced_at is not null`
    expect((await refresh(thief.refreshToken)).status).toBe(401)
    expect((await server.call('GET', '/api/users/me', { token: body.access_token })).status).toBe(401)
  })
})

describe("a model's reply", () => {
  const prompt = (somebody: Person, key: string, text = 'Bees') =>
    post(`/api/chat/prompt?org_id=${somebody.organizationId}`, { text }, key, somebody.token)

  test('is replayed as an identical stream, and charged once', async () => {
    const somebody = await withModel('emu-n20')
    const key = randomUUID()
    const before = provider.stats.streams
    const first = await prompt(somebody, key)
    const again = await prompt(somebody, key)
    expect([again.text, isReplayed(again)]).toEqual([first.text, true])
    expect(provider.stats.streams).toBe(before + 1)
    expect(kindsOf(await ledgerOf(server, somebody))).toEqual(['HOLD', 'DEBIT'])
  })

  test('cannot be repeated while it is in progress, and continues when its client disconnects', async () => {
    const somebody = await withModel('emu-n60-gap20')
    const key = randomUUID()
    const leaving = new AbortController()
    const response = await fetch(`${server.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${somebody.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({
        model: 'Test model',
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    const again = () =>
      post(
        '/openai/v1/chat/completions',
        { model: 'Test model', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
        key,
        somebody.token,
      )
    const early = await again()
    expect([early.status, early.body.error.code]).toEqual([409, 'request.in_progress'])
    expect(early.headers.get('retry-after')).toBe('1')
    await expect.poll(async () => (await again()).status).toBe(200)
    const whole = await again()
    expect(whole.text.match(/"content":"[^"]/g)).toHaveLength(60)
    expect(whole.text).toContain('[DONE]')
    expect(kindsOf(await ledgerOf(server, somebody))).toEqual(['HOLD', 'DEBIT'])
  })

  test('a failure in the stream is replayed; a refusal is not', async () => {
    const somebody = await withModel('emu-err500')
    const key = randomUUID()
    const first = await prompt(somebody, key)
    expect(first.text).toContain('error')
    expect((await prompt(somebody, key)).text).toBe(first.text)
    const { sql } = server.server.services.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${somebody.organizationId}`
    const poor = randomUUID()
    expect((await prompt(somebody, poor)).status).toBe(402)
    expect((await rows()).filter((row) => row['key'] === poor)).toEqual([])
  })

  test('a response that is too large is not stored, and not created again', async () => {
    const somebody = await withModel('emu-echo', { context_window: 2_000_000 })
    const key = randomUUID()
    const body = { model: 'Test model', messages: [{ role: 'user', content: 'x'.repeat(1_200_000) }] }
    const ask = () => post('/openai/v1/chat/completions', body, key, somebody.token)
    const first = await ask()
    expect([first.status, first.text.length > 1024 * 1024]).toEqual([200, true])
    const again = await ask()
    expect([again.status, again.body.error.code]).toEqual([409, 'request.answer_not_kept'])
    expect(kindsOf(await ledgerOf(server, somebody))).toEqual(['HOLD', 'DEBIT'])
  })
})

test('hashing passwords for requests with keys does not block other requests from the database', async () => {
  const passwords = createPasswords({ memory: 64, passes: 1, parallelism: 1 })
  const held = Promise.withResolvers<void>()
  let hashing = 0
  const hash = async (password: string): Promise<string> => {
    hashing += 1
    if (password === HELD_PASSWORD) await held.promise
    return passwords.hash(password)
  }
  const server = await startTestServer({}, { passwords: { ...passwords, hash } })
  onTestFinished(() => server.stop())
  const { token } = await server.signUp()
  const before = hashing
  const attempts = 60
  const all = Array.from({ length: attempts }, async () => {
    const { status } = await server.call('POST', '/api/auth/reset_password', {
      body: { token: randomUUID(), password: HELD_PASSWORD },
      headers: { 'idempotency-key': randomUUID() },
    })
    return status
  })
  onTestFinished(() => held.resolve())
  await expect.poll(() => hashing).toBe(before + attempts)
  expect((await server.call('GET', '/api/users/me', { token })).status).toBe(200)
  held.resolve()
  expect(new Set(await Promise.all(all))).toEqual(new Set([410]))
})
