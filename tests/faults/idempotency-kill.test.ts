import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Answer, Client, Person } from '#tests/support/client.ts'
import { countLocked } from '#tests/support/locks.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { createDatabase } from '#tests/support/server.ts'
import { type Battlefield, onPostgres } from '../kill/kill-server.ts'

/* A process is killed (kill -9) during requests, which are then repeated at another process. */

const TIMEOUT_MS = 120_000
const SEEDS = [11, 12, 13]
const REQUESTS = 40
const KILL_WITHIN_MS = 400

// Needs two processes on one database; the embedded database supports only one.
describe('a process that is killed', needs('PostgreSQL'), () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-idempotency-kill-'))
  let provider: Awaited<ReturnType<typeof startProvider>>
  let database: NonNullable<Awaited<ReturnType<typeof createDatabase>>>
  let sql: postgres.Sql
  let field: Battlefield
  let heir: ServerProcess
  const doomed = () => startProcess({ ...field.environment, DATA_DIR: join(dataDir, randomUUID()) })

  beforeAll(async () => {
    provider = await startProvider()
    database = (await createDatabase()) as typeof database
    sql = postgres(database.url, { max: 2, onnotice: () => {} })
    field = onPostgres(database.url, provider, dataDir)
    heir = await startProcess(field.environment)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await heir.stop()
    await sql.end()
    await database.drop()
    await provider.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const post = (
    server: Client,
    person: Person,
    path: string,
    body: unknown,
    key: string,
  ): Promise<Answer> => {
    const to = `${path}?org_id=${person.organizationId}`
    return server.call('POST', to, { token: person.token, body, headers: { 'idempotency-key': key } })
  }
  const withModel = async (version: string): Promise<Person> =>
    (await signUpWithModel(heir, provider, version)).person
  const isReserved = (key: string) => async () =>
    (await sql`select from idempotent_requests where key = ${key}`).count

  test.each(SEEDS)(
    'at any moment (seed %i): each request runs once, and sent responses stay valid',
    async (seed) => {
      const server = await doomed()
      const person = await server.signUp()
      const keys = Array.from({ length: REQUESTS }, () => randomUUID())
      const answers = new Map<string, string>()
      const sending = keys.map((key) =>
        post(server, person, '/api/chat', { title: key }, key).then(
          ({ text }) => answers.set(key, text),
          () => {},
        ),
      )
      await sleep(createRandom(seed)() * KILL_WITHIN_MS)
      await server.kill()
      await Promise.all(sending)
      for (const key of keys) {
        const again = await post(heir, person, '/api/chat', { title: key }, key)
        expect(again.status).toBe(201)
        expect(answers.get(key) ?? again.text).toBe(again.text)
      }
      const chats = await sql<{ title: string }[]>`select title from chats where user_id = ${person.userId}`
      expect(chats.map(({ title }) => title).sort()).toEqual(keys.toSorted())
    },
    TIMEOUT_MS,
  )

  test(
    'while a model replies: its hold is released, and the repeat is charged once',
    async () => {
      const [server, person, key] = [await doomed(), await withModel('emu-n60-gap50'), randomUUID()]
      const ask = (to: Client) => post(to, person, '/api/chat/prompt', { text: 'Bees' }, key)
      const lost = ask(server).catch(() => null)
      await expect.poll(() => provider.stats.open).toBe(1)
      await server.kill()
      await lost
      const early = await ask(heir)
      expect([early.status, early.body.code]).toEqual([409, 'request.in_progress'])
      await sql`delete from server_instances where id = (select instance_id from idempotent_requests where key = ${key})`
      const again = await ask(heir)
      expect([again.status, again.text]).toEqual([200, expect.stringContaining('DONE')])
      expect((await ask(heir)).text).toBe(again.text)
      await expect.poll(async () => (await balanceOf(heir, person)).held).toBe(0)
      const kinds = kindsOf(await ledgerOf(heir, person))
      expect(kinds.toSorted()).toEqual(['DEBIT', 'HOLD', 'HOLD', 'RELEASE'])
    },
    TIMEOUT_MS,
  )

  test(
    'between the debit and the response: neither is stored, and a repeat stores both once',
    async () => {
      // The reply takes two seconds, in which the test locks the account.
      const [server, person, key] = [await doomed(), await withModel('emu-n40-gap50'), randomUUID()]
      const ask = (to: Client) => post(to, person, '/api/chat/prompt', { text: 'Bees' }, key)
      // The debit runs after the statement that stores the response, and waits for the account's row lock.
      const holding = Promise.withResolvers<void>()
      const held = sql.begin(async (tx) => {
        await expect.poll(async () => (await balanceOf(heir, person)).held).toBe(1)
        await tx`select from credit_accounts where organization_id = ${person.organizationId} for update`
        await holding.promise
      })
      const lost = ask(server).catch(() => null)
      await expect.poll(() => countLocked(sql)).toBeGreaterThan(0)
      await server.kill()
      holding.resolve()
      await Promise.all([held, lost])
      expect(await isReserved(key)()).toBe(1)
      await sql`delete from server_instances where id = (select instance_id from idempotent_requests where key = ${key})`
      const again = await ask(heir)
      expect([again.status, again.text]).toEqual([200, expect.stringContaining('DONE')])
      await expect.poll(async () => (await balanceOf(heir, person)).held).toBe(0)
      expect(kindsOf(await ledgerOf(heir, person)).filter((kind) => kind === 'DEBIT')).toHaveLength(1)
    },
    TIMEOUT_MS,
  )

  test(
    'with a request that must not run twice: the repeat is refused with advice',
    async () => {
      const [server, person, key] = [await doomed(), await withModel('emu-n60-gap50'), randomUUID()]
      const body = { model: 'Test model', messages: [{ role: 'user', content: 'Hi' }] }
      const ask = (to: Client) => post(to, person, '/openai/v1/chat/completions', body, key)
      const lost = ask(server).catch(() => null)
      await expect.poll(isReserved(key)).toBe(1)
      await server.kill()
      await lost
      await sql`delete from server_instances where id = (select instance_id from idempotent_requests where key = ${key})`
      const again = await ask(heir)
      expect([again.status, again.body.error.code]).toEqual([409, 'request.interrupted'])
      expect(again.body.error.message).toContain('with a new key')
    },
    TIMEOUT_MS,
  )
})
