import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outsideTransaction } from '#database/ambient.ts'
import type { SystemTransaction } from '#database/connect.ts'
import { addKey } from '#tests/support/admission.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { deploy } from '#tests/support/deployments.ts'
import { countLocked } from '#tests/support/locks.ts'
import { mailTo } from '#tests/support/mail.ts'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Races for the lock on an organization's stored bytes. All transactions take their locks in one order (docs/lock-order.md). */

/** Longer than PostgreSQL's deadlock_timeout. A transaction that waits for longer is not the one that it cancels. */
const DEADLOCK_TIMEOUT_MS = 1_200

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

async function personWithModel(): Promise<Person> {
  const person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  await server.addModel(person, {
    name: 'talker',
    provider: 'openai-compatible',
    version: 'emu-n5',
    config,
  })
  return person
}

async function storeResponse(token: string, model = 'talker'): Promise<void> {
  const body = { model, input: 'say: Hello' }
  const answer = await server.call('POST', '/openai/v1/responses', { token, body })
  expect([answer.status, answer.body.store], answer.text).toEqual([200, true])
}

/**
 * Sends a request while another transaction has taken its first lock. Once the request waits, the other transaction takes its
 * second lock.
 */
const race = (
  first: (tx: SystemTransaction) => Promise<unknown>,
  request: () => Promise<Answer>,
  second: (tx: SystemTransaction) => Promise<unknown>,
): Promise<Answer> =>
  sql()
    .begin(async (tx) => {
      await first(tx)
      const answer = request()
      await expect.poll(() => countLocked(sql())).toBeGreaterThan(0)
      await second(tx)
      return { answer }
    })
    .then(({ answer }) => answer)

const lockStorage =
  ({ organizationId }: Person) =>
  (tx: SystemTransaction) =>
    tx`select reserve_bytes(${organizationId}, 1, 1000000)`
const refer = (table: 'api_keys' | 'users', id: string) => (tx: SystemTransaction) =>
  tx`select from ${tx(table)} where id = ${id} for key share`

test.each(['deletes the key', 'resets the password'])(
  'a request that %s waits for a response that is being stored, without a deadlock',
  needs('PostgreSQL'),
  async (act) => {
    const person = await personWithModel()
    const { id, sender } = await addKey(server, person)
    await storeResponse(sender.token)
    let request = () =>
      server.call('DELETE', `/api/api_keys/delete?org_id=${person.organizationId}&api_key_id=${id}`, person)
    if (act === 'resets the password') {
      await server.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
      const { token } = await mailTo(server, person.email, 'Reset your password')
      request = () =>
        server.call('POST', '/api/auth/reset_password', { body: { token, password: 'the new password' } })
    }
    const answer = await race(lockStorage(person), request, refer('api_keys', id))
    expect(answer.status, answer.text).toBeLessThan(300)
    expect((await sql()`select from responses where api_key_id = ${id}`).count).toBe(0)
  },
)

test(
  'the deletion of a deployment waits for a response that is being stored, without a deadlock',
  needs('PostgreSQL'),
  async () => {
    const { id, key, owner } = await deploy(server, provider)
    await storeResponse(key, 'any')
    const [deployment] = await sql()`select visitor_user_id as user from agent_deployments where id = ${id}`
    const request = () => server.call('DELETE', `/api/agent_deploy/delete?deployment_id=${id}`, owner)
    const answer = await race(lockStorage(owner), request, refer('users', deployment?.['user']))
    expect(answer.status, answer.text).toBeLessThan(300)
  },
)

test(
  'a new conversation waits for the removal of a member, without a deadlock',
  needs('PostgreSQL'),
  async () => {
    const person = await personWithModel()
    const { id, sender } = await addKey(server, person)
    const body = { items: [{ role: 'user', content: 'Hello' }] }
    const answer = await race(
      lockStorage(person),
      () => server.call('POST', '/openai/v1/conversations', { token: sender.token, body }),
      (tx) => tx`select from api_keys where id = ${id} for update`,
    )
    expect(answer.status, answer.text).toBe(200)
  },
)

test(
  'a message that attaches a file waits for the deletion of the file, without a deadlock',
  needs('PostgreSQL'),
  async () => {
    const person = await personWithModel()
    const { body: file } = await server.upload(person, { name: 'a.txt', bytes: 'x' })
    const models = await sql()`select id from llm_models where organization_id = ${person.organizationId}`
    const query = `org_id=${person.organizationId}&model_id=${models[0]?.['id']}`
    const answer = await race(
      (tx) => tx`select from uploads where id = ${file.id} for update`,
      () =>
        server.call('POST', `/api/chat/send_message?${query}`, {
          token: person.token,
          body: { content: 'say: Hello', file_uploads: [file.id] },
        }),
      lockStorage(person),
    )
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).not.toContain('"error"')
  },
)

test(
  'retention does not cancel the removal of a member with expired responses',
  needs('PostgreSQL'),
  async () => {
    const owner = await personWithModel()
    const member = await colleaguesOf(server, owner).join('admin')
    const { id, sender } = await addKey(server, member)
    await storeResponse(sender.token)
    await sql()`update responses set expires_at = now() - interval '1 day' where api_key_id = ${id}`
    const { sweep, removal } = await sql().begin(async (tx) => {
      await tx`
        select from memberships where organization_id = ${owner.organizationId} and user_id = ${member.userId} for update`
      const path = `/api/users/remove?org_id=${owner.organizationId}&user_id=${member.userId}`
      const removal = server.call('DELETE', path, { token: owner.token })
      await expect.poll(() => countLocked(sql())).toBe(1)
      const sweep = outsideTransaction(() => server.server.retention.sweep())
      await expect.poll(() => countLocked(sql())).toBe(2)
      await sleep(DEADLOCK_TIMEOUT_MS)
      return { sweep, removal }
    })
    expect((await removal).status).toBe(200)
    await sweep
  },
)

test(
  'a statement that deletes files of several organizations locks these in order',
  needs('PostgreSQL'),
  async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => server.signUp()))
    for (const person of people) await server.upload(person, { name: 'a.txt', bytes: 'x' })
    const ids = people.map(({ organizationId }) => organizationId).sort()
    const { deletion } = await sql().begin(async (tx) => {
      await tx`select from organizations where id = ${ids[0] as string} for no key update`
      const deletion = outsideTransaction(() =>
        sql()`delete from uploads where organization_id = any(${ids}::uuid[])`.execute(),
      )
      await expect.poll(() => countLocked(sql())).toBe(1)
      await tx`select from organizations where id = any(${ids}::uuid[]) order by id for no key update`
      return { deletion }
    })
    expect((await deletion).count).toBe(8)
  },
)
