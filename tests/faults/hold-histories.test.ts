import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppError } from '#errors'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { createRandom } from '#tests/support/random.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * Random histories: members and their keys open holds in groups and close them in groups. The number of admitted
 * holds equals that of a sequential model, and all counters equal a recount after each step.
 */

const HISTORIES = 12
const STEPS = 10
const GROUP_MAX = 30

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ STARTING_CREDITS: '0' })
})
afterAll(() => server.stop())

/** The remaining credits of a budget or an organization. */
interface Purse {
  left: number
  /** A budget reserves the expected cost of a hold, an organization one credit. */
  isBudget: boolean
}

const PRICES = { inputRatio: 0.5, outputRatio: 2 }

const reservedIn = ({ isBudget }: Purse, { inputTokens, outputTokens }: Expected): number =>
  isBudget ? Math.max(1, inputTokens * PRICES.inputRatio + outputTokens * PRICES.outputRatio) : 1

interface Expected {
  inputTokens: number
  outputTokens: number
}

interface Subject {
  userId: string
  apiKeyId: string | null
  /** All purses that a hold of this member or key debits. */
  purses: Purse[]
}

test.each(Array.from({ length: HISTORIES }, (_, at) => 4_000 + at))('history %i', async (seed) => {
  const random = createRandom(seed)
  const { ledger, database } = server.server.services
  const { organizationId, subjects } = await populate(random)
  const open: { holdId: string; subject: Subject; expected: Expected }[] = []
  for (let step = 0; step < STEPS; step++) {
    const wanted = Array.from({ length: 1 + Math.floor(random() * GROUP_MAX) }, () => ({
      subject: subjects[Math.floor(random() * subjects.length)] as Subject,
      expected: { inputTokens: Math.floor(random() * 6), outputTokens: Math.floor(random() * 4) },
    }))
    const admitted = wanted.map(({ subject: { purses }, expected }) => {
      const isAdmitted = purses.every(({ left }) => left >= 1)
      if (isAdmitted) for (const purse of purses) purse.left -= reservedIn(purse, expected)
      return isAdmitted
    })
    const holds = await Promise.all(
      wanted.map(({ subject: { userId, apiKeyId }, expected }) =>
        ledger
          .hold({ organizationId, userId, apiKeyId }, { id: MODEL, ...PRICES }, async () => expected)
          .catch((error: AppError) => error),
      ),
    )
    expect(holds.map((hold) => typeof hold === 'string')).toEqual(admitted)
    for (const hold of holds) if (typeof hold !== 'string') expect(hold.status).toBe(402)
    holds.forEach((hold, at) => {
      const one = wanted[at]
      if (typeof hold === 'string' && one) open.push({ holdId: hold, ...one })
    })

    const closing = open.filter(() => random() < 0.4)
    await Promise.all(
      closing.map(({ holdId, subject, expected }) => {
        const usage =
          random() < 0.3
            ? null
            : { inputTokens: Math.floor(random() * 4), outputTokens: Math.floor(random() * 2) }
        const cost = usage ? usage.inputTokens * 0.5 + usage.outputTokens * 2 : 0
        for (const purse of subject.purses) purse.left += reservedIn(purse, expected) - cost
        // Two settlements run concurrently, and one of them succeeds.
        return Promise.all([ledger.settle(holdId, usage, null), ledger.settle(holdId, usage, null)])
      }),
    )
    for (const one of closing) open.splice(open.indexOf(one), 1)
    await expectSoundLedger(database.sql, organizationId)
  }
})

const MODEL = crypto.randomUUID()

/** Creates an organization with two members and their keys. Some of them have budgets. */
async function populate(random: () => number) {
  const owner = await server.signUp()
  const { ledger, database } = server.server.services
  const { organizationId } = owner
  const { sql } = database
  const member = await server.signUp()
  await sql`
    insert into memberships (organization_id, user_id, role_id, status)
    select ${organizationId}, ${member.userId}, id, 'active' from roles
    where organization_id = ${organizationId} and name = 'member'`
  const credits = 20 + Math.floor(random() * 60)
  await ledger.grant(organizationId, credits, 'test')
  const account: Purse = { left: credits, isBudget: false }
  const maybeBudget = async (column: 'user_id' | 'api_key_id', id: string): Promise<Purse[]> => {
    if (random() < 0.3) return []
    const left = Math.floor(random() * 300) / 10
    await sql`
      insert into budgets (id, organization_id, ${sql(column)}, credits_per_month, month)
      values (${crypto.randomUUID()}, ${organizationId}, ${id}, ${left}, date_trunc('month', now() at time zone 'utc'))`
    await sql`update credit_accounts set budgets_version = 1 where organization_id = ${organizationId}`
    return [{ left, isBudget: true }]
  }
  const subjects: Subject[] = []
  for (const { userId } of [owner, member]) {
    const own = [account, ...(await maybeBudget('user_id', userId))]
    subjects.push({ userId, apiKeyId: null, purses: own })
    for (let count = 0; count < 2; count++) {
      const apiKeyId = crypto.randomUUID()
      await sql`
        insert into api_keys (id, organization_id, user_id, name, prefix, key_hash, permissions)
        values (${apiKeyId}, ${organizationId}, ${userId}, 'k', 'sk_', ${apiKeyId}, '{}')`
      subjects.push({ userId, apiKeyId, purses: [...own, ...(await maybeBudget('api_key_id', apiKeyId))] })
    }
  }
  return { organizationId, subjects }
}
