import { afterAll, beforeAll, expect, test } from 'vitest'
import { addKey, openStage, personWith, type Stage, setBudget } from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger, ONE_CREDIT } from '#tests/support/ledger-invariants.ts'
import { countLocked } from '#tests/support/locks.ts'
import { needs } from '#tests/support/programs.ts'

/**
 * Setting a budget blocks no other tenant, and holds and debits that waited while a budget was set count against it.
 */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const sql = () => stage.server.server.services.database.sql

/** Locks the rows that `lock` selects until the test releases them. */
async function holdRows(lock: 'organizations' | 'credit_accounts', { organizationId }: Person) {
  const locked = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const column = lock === 'organizations' ? 'id' : 'organization_id'
  const holding = sql().begin(async (tx) => {
    await tx`select from ${tx(lock)} where ${tx(column)} = ${organizationId} for update`
    locked.resolve()
    await over.promise
  })
  await locked.promise
  return async (): Promise<void> => {
    over.resolve()
    await holding
  }
}

/** Waits until `count` other connections wait for a lock. */
const waiting = (count: number) => expect.poll(() => countLocked(sql())).toBe(count)

const ask = (organization: Person, modelId: string) => {
  const { ledger } = stage.server.server.services
  const { organizationId, userId } = organization
  return ledger.hold(
    { organizationId, userId, apiKeyId: null },
    { id: modelId, inputRatio: 1, outputRatio: 1 },
    ONE_CREDIT,
  )
}

test(
  'on PostgreSQL, holds of another tenant open and close while a budget is being set',
  needs('PostgreSQL'),
  async () => {
    const { person, modelId } = await personWith(stage, 1_000)
    const neighbour = await personWith(stage, 1_000, 'emu-n3')
    const release = await holdRows('organizations', person)
    const setting = setBudget(stage.server, person, { user_id: person.userId, credits_per_month: 10 })
    await waiting(1)
    const content = 'Hi'
    const said = await stage.server.say(neighbour.person, { model_id: neighbour.modelId }, { content })
    expect(said.text).not.toBe('')
    await release()
    expect(await setting).toMatchObject({ credits_per_month: 10 })
    expect(await ask(person, modelId)).toEqual(expect.any(String))
  },
)

test(
  'on PostgreSQL, a hold that waited while a budget was set is charged to that budget',
  needs('PostgreSQL'),
  async () => {
    const { person, modelId } = await personWith(stage, 1_000)
    const release = await holdRows('credit_accounts', person)
    const setting = setBudget(stage.server, person, { user_id: person.userId, credits_per_month: 1 })
    await waiting(1)
    const asking = ask(person, modelId)
    await waiting(2)
    await release()
    await Promise.all([setting, asking])
    await expectSoundLedger(sql(), person.organizationId)
    await expect(ask(person, modelId)).rejects.toMatchObject({ code: 'billing.member_budget_exceeded' })
  },
)

test(
  'on PostgreSQL, a debit that waited while a budget was set is charged to that budget',
  needs('PostgreSQL'),
  async () => {
    const { person, modelId } = await personWith(stage, 1_000)
    const holdId = await ask(person, modelId)
    const release = await holdRows('credit_accounts', person)
    const setting = setBudget(stage.server, person, { user_id: person.userId, credits_per_month: 100 })
    await waiting(1)
    const settling = stage.server.server.services.ledger.settle(
      holdId,
      { inputTokens: 7, outputTokens: 5 },
      null,
    )
    await waiting(2)
    await release()
    await Promise.all([setting, settling])
    await expectSoundLedger(sql(), person.organizationId)
    const [budget] = await sql()`
    select spent::int, held from budgets where organization_id = ${person.organizationId}`
    expect(budget).toEqual({ spent: 12, held: 0 })
  },
)

test(
  'on PostgreSQL, the budgets of a member and a key both count every hold of two processes',
  needs('PostgreSQL'),
  async () => {
    const { person, modelId } = await personWith(stage, 1_000_000)
    const { organizationId, userId } = person
    const key = await addKey(stage.server, person)
    for (const subject of [{ user_id: userId }, { api_key_id: key.id }])
      await setBudget(stage.server, person, { ...subject, credits_per_month: 1e9 })
    const model = { id: modelId, inputRatio: 1, outputRatio: 1 }
    for (let round = 0; round < 15; round++)
      await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const { ledger } = (index % 2 ? stage.server : stage.other).server.services
          return ledger.hold(
            { organizationId, userId, apiKeyId: index % 3 ? key.id : null },
            model,
            ONE_CREDIT,
          )
        }),
      )
    await expectSoundLedger(sql(), organizationId)
  },
)
