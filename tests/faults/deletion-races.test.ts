import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addKey, setBudget } from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { ONE_CREDIT } from '#tests/support/ledger-invariants.ts'
import { countLocked } from '#tests/support/locks.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { createOrganization } from '#tests/support/tenants.ts'

/* Races with the deletion of an organization or account. Both transactions take their locks in the same order. */

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const database = () => server.server.services.database

const waiting = (words?: string): Promise<number> => countLocked(database().sql, words)

const newOrganization = (owner: Person, name: string): Promise<Person> =>
  createOrganization(server, owner, { name, granted: 10_000 })

const deletions: [string, (owner: Person) => [path: string, body?: object]][] = [
  ['an organization', ({ organizationId }) => [`/api/org/delete?org_id=${organizationId}`]],
  ['an account', ({ password }) => ['/api/users/me', { current_password: password }]],
]

test.each(deletions)(
  'on PostgreSQL, deleting %s waits for a hold that is being settled, without a deadlock',
  needs('PostgreSQL'),
  async (_, ask) => {
    const { sql } = database()
    const owner = await newOrganization(await server.signUp(), randomUUID())
    const { organizationId } = owner
    const { id: apiKeyId } = await addKey(server, owner)
    await setBudget(server, owner, { api_key_id: apiKeyId, credits_per_month: 10 })
    const payer = { organizationId, userId: owner.userId, apiKeyId }
    const model = { id: randomUUID(), inputRatio: 1, outputRatio: 1 }
    await server.server.services.ledger.hold(payer, model, ONE_CREDIT)
    const [path, body] = ask(owner)
    const deletion = await sql.begin(async (tx) => {
      // Takes locks in the order in which a hold is closed (ledger/hold-statements.ts), with the foreign keys
      // last.
      await tx`delete from open_holds where organization_id = ${organizationId}`
      await tx`select from credit_accounts where organization_id = ${organizationId} for update`
      await tx`update budgets set held = 0 where organization_id = ${organizationId}`
      const deletion = server.call('DELETE', path, { token: owner.token, body })
      await expect.poll(() => waiting()).toBeGreaterThan(0)
      await tx`select from organizations where id = ${organizationId} for key share`
      return { deletion }
    })
    expect((await deletion.deletion).status).toBe(200)
  },
)

test(
  'on PostgreSQL, creating an organization while the account is deleted leaves no organization',
  needs('PostgreSQL'),
  async () => {
    const { sql } = database()
    const person = await server.signUp()
    const name = randomUUID()
    const over = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const first = sql
      .begin(async (tx) => {
        await tx`insert into organizations (id, name, slug) values (${randomUUID()}, ${name}, ${name})`
        begun.resolve()
        await over.promise
        throw new Error('the name is free after all')
      })
      .catch(() => {})
    await begun.promise
    const founding = createOrganization(server, person, { name })
    // Count only this statement, because the erasures of earlier tests may also wait for a lock.
    await expect.poll(() => waiting('insert into organizations')).toBe(1)
    const deletion = server.call('DELETE', '/api/users/me', {
      token: person.token,
      body: { current_password: person.password },
    })
    await expect.poll(() => waiting()).toBeGreaterThanOrEqual(2)
    over.resolve()
    await first
    const { organizationId } = await founding
    expect(organizationId).toBeDefined()
    expect((await deletion).status).toBe(200)
    const left = () => sql`select from organizations where id = ${organizationId}`
    await expect.poll(async () => (await left()).count, { timeout: 60_000 }).toBe(0)
  },
)
