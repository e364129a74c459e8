import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  openStage,
  personWith,
  refusals,
  type Stage,
  sendAll,
  setDailyLimit,
  started,
  stopAll,
  times,
} from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'

/**
 * Message limits are exact when 500 messages arrive concurrently, at two processes if PostgreSQL is available,
 * while no reply has ended.
 */

const MESSAGES = 500
// 500 concurrent connections are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const sql = () => stage.server.server.services.database.sql

async function accountOf({ organizationId }: Person) {
  const [row] = await sql()`
    select held, messages_taken as messages from credit_accounts where organization_id = ${organizationId}`
  return row
}

test('admits 10 of 500 messages with 10 credits', async () => {
  const { person, modelId } = await personWith(stage, 10)
  const sent = await sendAll(stage, modelId, times(MESSAGES, person))
  expect(started(sent)).toHaveLength(10)
  expect(refusals(sent)).toEqual({ '402 billing.insufficient_credits': MESSAGES - 10 })
  expect(await accountOf(person)).toEqual({ held: 10, messages: 10 })
  await stopAll(stage.server, sent)
  expect(await accountOf(person)).toEqual({ held: 0, messages: 10 })
  await expectSoundLedger(sql(), person.organizationId)
})

test('admits 10 with a daily_chat_limit of 10, and no more after their replies have ended', async () => {
  const { person, modelId } = await personWith(stage, 1_000_000)
  await setDailyLimit(stage, person, 10)
  const sent = await sendAll(stage, modelId, times(MESSAGES, person))
  expect(started(sent)).toHaveLength(10)
  expect(refusals(sent)).toEqual({ '429 org.daily_chat_limit': MESSAGES - 10 })
  await stopAll(stage.server, sent)
  expect(refusals(await sendAll(stage, modelId, times(20, person)))).toEqual({
    '429 org.daily_chat_limit': 20,
  })
  expect(await accountOf(person)).toEqual({ held: 0, messages: 10 })
  await setDailyLimit(stage, person, 12)
  const more = await sendAll(stage, modelId, times(20, person))
  expect(started(more)).toHaveLength(2)
  await stopAll(stage.server, more)
  await expectSoundLedger(sql(), person.organizationId)
})

test('applies the smaller limit, and reports credits if neither is left', async () => {
  const { person, modelId } = await personWith(stage, 20)
  await setDailyLimit(stage, person, 10)
  const first = await sendAll(stage, modelId, times(250, person))
  expect(started(first)).toHaveLength(10)
  // Some concurrent messages lack both a credit and a daily message. They get either error.
  const codes = ['402 billing.insufficient_credits', '429 org.daily_chat_limit']
  expect(codes).toEqual(expect.arrayContaining(Object.keys(refusals(first))))
  await setDailyLimit(stage, person, 20)
  const second = await sendAll(stage, modelId, times(20, person))
  expect(started(second)).toHaveLength(10)
  expect(refusals(await sendAll(stage, modelId, times(5, person)))).toEqual({
    '402 billing.insufficient_credits': 5,
  })
  await stopAll(stage.server, [...first, ...second])
  await expectSoundLedger(sql(), person.organizationId)
})

test('starts a new count each day, and never returns to an earlier day', async () => {
  const { person, modelId } = await personWith(stage, 1_000_000)
  await setDailyLimit(stage, person, 2)
  const setDay = (days: number) => sql()`
    update credit_accounts set messages_day = (now() at time zone 'utc')::date + ${days}::int
    where organization_id = ${person.organizationId}`
  const first = await sendAll(stage, modelId, times(5, person))
  await setDay(-1)
  const second = await sendAll(stage, modelId, times(5, person))
  expect([started(first).length, started(second).length]).toEqual([2, 2])
  expect(await accountOf(person)).toEqual({ held: 4, messages: 2 })
  await setDay(1)
  expect(started(await sendAll(stage, modelId, times(5, person)))).toEqual([])
  await stopAll(stage.server, [...first, ...second])
})
