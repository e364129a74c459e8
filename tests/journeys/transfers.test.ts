import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from '#tests/support/admission.ts'
import { balanceOf } from '#tests/support/chats.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { expectSoundLedger, ONE_CREDIT } from '#tests/support/ledger-invariants.ts'
import { createRandom } from '#tests/support/random.ts'
import { addMemberWithRole, createOrganization } from '#tests/support/tenants.ts'

/** Credit transfers between organizations: permissions, amounts, and ledger entries. */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const sql = () => stage.server.server.services.database.sql
const grant = (organizationId: string, amount: number) =>
  stage.server.server.services.ledger.grant(organizationId, amount, 'test')

async function personWith(credits: number): Promise<Person> {
  const person = await stage.server.signUp()
  if (credits > 0) await grant(person.organizationId, credits)
  return person
}

const found = (person: Person, credits = 0): Promise<Person> =>
  createOrganization(stage.server, person, { credits })

const transfer = (
  { token }: Person,
  from: Pick<Person, 'organizationId'>,
  to: Pick<Person, 'organizationId'>,
  amount: number,
  headers: Record<string, string> = {},
  server = stage.server,
): Promise<Answer> =>
  server.call('POST', '/api/billing/transfer', {
    token,
    body: { from_org: from.organizationId, to_org: to.organizationId, amount },
    headers,
  })

const balances = async (...people: Person[]): Promise<number[]> =>
  Promise.all(people.map(async (person) => (await balanceOf(stage.server, person)).balance))

const ledgerEntry = async ({ organizationId, token }: Person, id: string) => {
  const path = `/api/billing/ledger?org_id=${organizationId}`
  const { body } = await stage.server.call('GET', path, { token })
  return body.data.find((entry: { id: string }) => entry.id === id)
}

describe('a transfer', () => {
  test('adds one entry on each side that names both, and is in both audit logs', async () => {
    const person = await personWith(100)
    const team = await found(person)
    const { status, body } = await transfer(person, person, team, 30.5)
    expect([status, body]).toEqual([
      201,
      {
        from_org: person.organizationId,
        to_org: team.organizationId,
        amount: 30.5,
        from_entry_id: expect.any(String),
        to_entry_id: expect.any(String),
      },
    ])
    const sides = { from_org: person.organizationId, to_org: team.organizationId }
    expect(await ledgerEntry(person, body.from_entry_id)).toMatchObject({
      kind: 'CREDIT',
      amount: -30.5,
      quantity: 30.5,
      balance_after: 69.5,
      transfer: sides,
    })
    expect(await ledgerEntry(team, body.to_entry_id)).toMatchObject({
      kind: 'CREDIT',
      amount: 30.5,
      balance_after: 30.5,
      transfer: sides,
    })
    for (const { organizationId, token } of [person, team]) {
      const audit = await stage.server.call('GET', `/api/audit/list?org_id=${organizationId}`, { token })
      expect(audit.body.data[0]).toMatchObject({
        action: 'organization.credits_transferred',
        record_id: organizationId,
        after: { ...sides, amount: 30.5 },
      })
      await expectSoundLedger(sql(), organizationId)
    }
  })

  test('moves at most what open holds leave available', async () => {
    const person = await personWith(10)
    const team = await found(person)
    const { organizationId, userId } = person
    const { ledger } = stage.server.server.services
    const payer = { organizationId, userId, apiKeyId: null }
    await ledger.hold(payer, { id: randomUUID(), inputRatio: 1, outputRatio: 1 }, ONE_CREDIT)
    const { status, body } = await transfer(person, person, team, 9.000001)
    expect([status, body.code, body.detail]).toEqual([
      402,
      'billing.transfer_too_large',
      'The sending organization has only 9 credits available. Transfer at most 9 credits.',
    ])
    expect((await transfer(person, person, team, 9)).status).toBe(201)
    expect(await balances(person, team)).toEqual([1, 9])
  })

  test('requires an active owner of both organizations', async () => {
    const [person, other] = [await personWith(100), await personWith(100)]
    const team = await found(person)
    const nothing = { organizationId: randomUUID() }
    const missing = [404, 'org.not_found']
    const told = ({ status, body }: Answer) => [status, body.code]
    expect(told(await transfer(other, person, other, 1))).toEqual(missing)
    expect(told(await transfer(other, other, team, 1))).toEqual(missing)
    expect(told(await transfer(person, person, nothing, 1))).toEqual(missing)
    expect(told(await transfer(person, nothing, person, 1))).toEqual(missing)
    await addMemberWithRole(sql(), team.organizationId, other.userId, 'admin')
    for (const [from, to] of [
      [team, other],
      [other, team],
    ] as const)
      expect(told(await transfer(other, from, to, 1))).toEqual([403, 'org.owner_needed'])
    await sql()`
      update memberships set role_id = (
        select id from roles where organization_id = ${team.organizationId} and name = 'owner'), status = 'suspended'
      where organization_id = ${team.organizationId} and user_id = ${other.userId}`
    expect(told(await transfer(other, other, team, 1))).toEqual(missing)
    expect(await balances(person, other)).toEqual([100, 100])
  })

  test.each([0, -5, 0.0000001, 1e16, '5', null])('of %s credits is refused', async (amount) => {
    const person = await personWith(10)
    const team = await found(person)
    expect((await transfer(person, person, team, amount as number)).status).toBe(400)
    expect((await transfer(person, person, person, 1)).status).toBe(400)
    expect(await balances(person, team)).toEqual([10, 0])
  })

  test('with an Idempotency-Key moves once', async () => {
    const person = await personWith(100)
    const team = await found(person)
    const headers = { 'idempotency-key': randomUUID() }
    const send = () => transfer(person, person, team, 10, headers)
    const answers = [...(await Promise.all([send(), send(), send()])), await send()]
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await balances(person, team)).toEqual([90, 10])
  })
})

test.each([1, 2, 3])(
  'concurrent transfers keep the total of credits, and no balance is negative (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const person = await personWith(300)
    const places = [person, await found(person, 100), await found(person, 100), await found(person)]
    const place = () => places[Math.floor(random() * places.length)] as Person
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, index) => {
        const amount = Math.ceil(random() * 120_000_000) / 1_000_000
        const server = index % 2 ? stage.server : stage.other
        return transfer(person, place(), place(), amount, {}, server)
      }),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].filter((status) => ![201, 400, 402].includes(status))).toEqual([])
    expect(statuses.has(201)).toBe(true)
    const after = await balances(...places)
    expect(after.reduce((sum, balance) => sum + balance, 0)).toBeCloseTo(300, 6)
    for (const balance of after) expect(balance).toBeGreaterThanOrEqual(0)
    for (const { organizationId } of places) {
      await expectSoundLedger(sql(), organizationId)
      const below = await sql()`
        select from ledger_entries where organization_id = ${organizationId} and balance_after < 0`
      expect(below.count).toBe(0)
    }
  },
)

describe('a new organization', () => {
  test('starts with 0 credits, or with those transferred from the personal one', async () => {
    const person = await personWith(100)
    const [empty, funded] = [await found(person), await found(person, 40)]
    expect(await balances(person, empty, funded)).toEqual([60, 0, 40])
  })

  test('is not created if the personal one has too few credits', async () => {
    const person = await personWith(100)
    const name = randomUUID()
    const path = `/api/org/create_org?name=${name}&credits=100.5`
    const { status, body } = await stage.server.call('POST', path, { token: person.token })
    expect([status, body.code]).toEqual([402, 'billing.transfer_too_large'])
    expect((await sql()`select from organizations where name = ${name}`).count).toBe(0)
    expect(await balances(person)).toEqual([100])
  })
})
