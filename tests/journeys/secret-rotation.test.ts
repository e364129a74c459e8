import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SEALED_COLUMNS } from '#platform/secrets/sealed-columns.ts'
import { createSecrets } from '#platform/secrets/secrets.ts'
import type { Person } from '#tests/support/client.ts'
import { type App, addApp, answerWithCode, logIn, signUpVerified } from '#tests/support/factors.ts'
import { runCli } from '#tests/support/process.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const FIRST_START_MS = 60_000

const rotate = async (environment: Record<string, string>) => {
  const { ended, output } = runCli(['rotate-secret'], environment, process.cwd())
  return { code: await ended, output: output() }
}

/** Credentials and records from before the rotation. */
interface Before {
  person: Person
  app: App
  fileUrl: string
  key: string
  created: unknown
}

async function prepare(server: TestServer): Promise<Before> {
  const person = await signUpVerified(server)
  const { token, organizationId } = person
  const { app } = await addApp(server, person)
  await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'x',
    config: { base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-kept' },
  })
  const webhook = { url: 'https://example.com/hook', event_types: ['billing.debited'] }
  const made = await server.call('POST', `/api/webhooks/create?org_id=${organizationId}`, {
    token,
    body: webhook,
  })
  expect(made.status).toBe(201)
  const client = { redirect_uris: ['http://127.0.0.1/back'], token_endpoint_auth_method: 'none' }
  expect((await server.call('POST', '/mcp/oauth/register', { body: client })).status).toBe(201)
  const uploaded = await server.upload(person, { name: 'note.txt', bytes: 'Hello', type: 'text/plain' })
  const key = randomUUID()
  const created = await server.call('POST', '/api/org/create_org?name=Once', {
    token,
    headers: { 'idempotency-key': key },
  })
  return { person, app, fileUrl: uploaded.body.url, key, created: created.body }
}

/** Expects that all stored values and issued credentials still work. */
async function expectAll(server: TestServer, { person, app, fileUrl, key, created }: Before): Promise<void> {
  expect((await server.call('GET', '/api/users/me', { token: person.token })).status).toBe(200)
  const file = await fetch(fileUrl.replace('http://parley.test', server.url))
  expect(await file.text()).toBe('Hello')
  const repeated = await server.call('POST', '/api/org/create_org?name=Once', {
    token: person.token,
    headers: { 'idempotency-key': key },
  })
  expect([repeated.headers.get('idempotent-replayed'), repeated.body]).toEqual(['true', created])
  await expectSignIn(server, { person, app })
}

/** Expects that the authenticator app's secret can be decrypted. */
async function expectSignIn(
  server: TestServer,
  { person, app }: Pick<Before, 'person' | 'app'>,
): Promise<void> {
  const { challenge } = (await logIn(server, person)).body
  expect((await answerWithCode(server, person, app, challenge)).status).toBe(200)
}

/**
 * Returns the encrypted columns that have values, and the columns in which all values are encrypted under this secret.
 */
async function openUnder(server: TestServer, secret: string): Promise<{ filled: string[]; open: string[] }> {
  const secrets = createSecrets(secret)
  const { sql } = server.server.services.database
  const [filled, open]: string[][] = [[], []]
  for (const { table, column, key, context } of SEALED_COLUMNS) {
    const names = key.map(([name]) => name)
    const rows = await sql<Record<string, string>[]>`
      select ${sql(names)}, ${sql(column)} as sealed from ${sql(table)} where ${sql(column)} <> ''`
    if (rows.length === 0) continue
    filled?.push(`${table}.${column}`)
    const isOpen = rows.every((row) =>
      secrets.isCurrent(row['sealed'] ?? '', context(names.map((name) => row[name] ?? ''))),
    )
    if (isOpen) open?.push(`${table}.${column}`)
  }
  return { filled: filled ?? [], open: open ?? [] }
}

describe('SECRET', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-rotation-'))
  let database: Awaited<ReturnType<typeof createDatabase>>
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(async () => {
    await database?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test(
    'can be replaced: all values work with the previous one, and without it after the command',
    async ({ skip }) => {
      if (database === null) return skip()
      const environment = { DATABASE_URL: database.url, DATA_DIR: dataDir }
      let server = await startTestServer({ ...environment, SECRET: A })
      const before = await prepare(server)
      const { filled, open } = await openUnder(server, A)
      expect(filled).toEqual([
        'llm_models.api_key',
        'webhook_endpoints.secret',
        'totp_factors.secret',
        'oauth_records.payload',
        'idempotent_requests.answer',
      ])
      expect(open).toEqual(filled)
      await server.stop()

      const both = { ...environment, SECRET: B, SECRET_PREVIOUS: A }
      server = await startTestServer(both)
      await expectAll(server, before)
      const { keys } = (await server.call('GET', '/.well-known/jwks.json')).body
      expect(keys).toHaveLength(2)
      // The command works while the server is running.
      const { code, output } = await rotate({ ...server.environment })
      expect(output).toContain('totp_factors.secret: 1 re-encrypted')
      expect(code).toBe(0)
      expect((await rotate({ ...server.environment })).output).toContain(
        'totp_factors.secret: 0 re-encrypted',
      )
      await expectAll(server, before)
      await server.stop()

      server = await startTestServer({ ...environment, SECRET: B })
      expect((await openUnder(server, B)).open).toEqual(filled)
      await expectSignIn(server, before)
      const refreshed = await server.call('POST', '/api/auth/refresh', {
        body: { refresh_token: before.person.refreshToken },
      })
      expect(refreshed.status).toBe(200)
      expect((await server.call('GET', '/api/users/me', { token: before.person.token })).status).toBe(401)
      await server.stop()
    },
    FIRST_START_MS,
  )

  test.each([
    [{ SECRET_PREVIOUS: A }, 'SECRET_PREVIOUS requires SECRET'],
    [{ SECRET: B, SECRET_PREVIOUS: B }, 'SECRET_PREVIOUS must differ from SECRET'],
    [{ SECRET: B, SECRET_PREVIOUS: 'short' }, 'SECRET_PREVIOUS must have at least 32 characters'],
  ])('%o stops the server at startup with one line', async (wrong, line) => {
    const { ended, output } = runCli(['config'], { DATA_DIR: dataDir, ...wrong }, tmpdir())
    expect([await ended, output()]).toEqual([1, expect.stringContaining(line)])
  })
})

test(
  'the command replaces the secret in DATA_DIR, but not while a server runs',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-rotation-'))
    const environment = { DATA_DIR: dataDir, DATABASE_URL: '' }
    const secretNow = () => readFileSync(join(dataDir, 'secret'), 'utf8')
    const login = { email: 'admin@localhost', password: 'administrator' }
    let server = await startTestServer(environment)
    const first = secretNow()
    const { access_token: token, user } = (await server.call('POST', '/api/auth/login', { body: login })).body
    const config = { base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-kept' }
    const model = { name: 'm', provider: 'openai-compatible', version: 'x', config }
    const path = `/api/llm/add?org_id=${user.organizations[0].id}`
    expect((await server.call('POST', path, { token, body: model })).status).toBe(201)
    expect(await rotate(environment)).toMatchObject({
      code: 1,
      output: expect.stringContaining('another process uses this data directory'),
    })
    expect(secretNow()).toBe(first)
    await server.stop()
    expect(await rotate(environment)).toMatchObject({
      code: 0,
      output: expect.stringContaining('llm_models.api_key: 1 re-encrypted'),
    })
    expect(secretNow()).not.toBe(first)
    expect(existsSync(join(dataDir, 'secret.previous'))).toBe(false)
    server = await startTestServer(environment)
    expect((await server.call('POST', '/api/auth/login', { body: login })).status).toBe(200)
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  },
  2 * FIRST_START_MS,
)
