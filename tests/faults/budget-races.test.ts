import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  addKey,
  openStage,
  personWith,
  refusals,
  type Sent,
  type Stage,
  sendAll,
  setBudget,
  setDailyLimit,
  started,
  stopAll,
  times,
} from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { createRandom } from '#tests/support/random.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Budgets are exact when many messages arrive concurrently, and while budgets are created and deleted. */

const MESSAGES = 500
// 500 concurrent connections are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const sql = () => stage.server.server.services.database.sql

async function addMember({ organizationId }: Person): Promise<Person> {
  const member = await stage.server.signUp()
  await addMemberWithRole(sql(), organizationId, member.userId, 'admin')
  return { ...member, organizationId }
}

const countOf = (sent: Sent[], sender: Person): number =>
  started(sent).filter((one) => one.sender === sender).length

test('a budget of 10 admits 10 of 500 messages of a member, and does not limit another member', async () => {
  const { person, modelId } = await personWith(stage, 1_000_000)
  const member = await addMember(person)
  await setBudget(stage.server, person, { user_id: member.userId, credits_per_month: 10 })
  const sent = await sendAll(stage, modelId, times(MESSAGES, member))
  expect(started(sent)).toHaveLength(10)
  expect(refusals(sent)).toEqual({ '402 billing.member_budget_exceeded': MESSAGES - 10 })
  const others = await sendAll(stage, modelId, [person])
  expect(started(others)).toHaveLength(1)
  await expectSoundLedger(sql(), person.organizationId)
  await stopAll(stage.server, [...sent, ...others])
  await expectSoundLedger(sql(), person.organizationId)
})

test('the same applies to an API key', async () => {
  const { person, modelId } = await personWith(stage, 1_000_000)
  const key = await addKey(stage.server, person)
  await setBudget(stage.server, person, { api_key_id: key.id, credits_per_month: 10 })
  const sent = await sendAll(stage, modelId, times(MESSAGES, key.sender))
  expect(started(sent)).toHaveLength(10)
  expect(refusals(sent)).toEqual({ '402 billing.key_budget_exceeded': MESSAGES - 10 })
  const others = await sendAll(stage, modelId, [person])
  expect(started(others)).toHaveLength(1)
  await stopAll(stage.server, others)
  await stopAll(
    stage.server,
    sent.map((one) => ({ ...one, sender: person })),
  )
  await expectSoundLedger(sql(), person.organizationId)
})

test.each([
  { credits: 45, messagesADay: null, admitted: 45 },
  { credits: 1_000_000, messagesADay: 40, admitted: 40 },
])('budgets, credits and the daily limit apply together: %o', async ({ credits, messagesADay, admitted }) => {
  const { person, modelId } = await personWith(stage, credits)
  const [first, second] = [await addMember(person), await addMember(person)]
  const [small, large] = [await addKey(stage.server, first), await addKey(stage.server, first)]
  for (const [subject, credits_per_month] of [
    [{ user_id: first.userId }, 25],
    [{ api_key_id: small.id }, 10],
    [{ api_key_id: large.id }, 20],
    [{ user_id: second.userId }, 15],
  ] as const)
    await setBudget(stage.server, person, { ...subject, credits_per_month })
  await setDailyLimit(stage, person, messagesADay)

  const random = createRandom(credits)
  const senders = [person, first, second, small.sender, large.sender].flatMap((one) => times(100, one))
  const mixed = senders.map((sender) => ({ sender, at: random() })).sort((a, b) => a.at - b.at)
  const sent = await sendAll(
    stage,
    modelId,
    mixed.map(({ sender }) => sender),
  )
  expect(started(sent)).toHaveLength(admitted)
  expect(countOf(sent, small.sender)).toBeLessThanOrEqual(10)
  expect(countOf(sent, large.sender)).toBeLessThanOrEqual(20)
  expect(countOf(sent, second)).toBeLessThanOrEqual(15)
  expect(
    countOf(sent, first) + countOf(sent, small.sender) + countOf(sent, large.sender),
  ).toBeLessThanOrEqual(25)
  await expectSoundLedger(sql(), person.organizationId)
  const asOwners = { [small.sender.token]: first, [large.sender.token]: first }
  await stopAll(
    stage.server,
    sent.map((one) => ({ ...one, sender: asOwners[one.sender.token] ?? one.sender })),
  )
  await expectSoundLedger(sql(), person.organizationId)
})

test('a budget created during messages and replies has counted all of them', async () => {
  const { person, modelId } = await personWith(stage, 1_000_000, 'emu-n3-ttft30')
  const key = await addKey(stage.server, person)
  let isOver = false
  const talking = Promise.all(
    [person, key.sender, person, key.sender, person, key.sender].map(async (sender) => {
      while (!isOver) {
        const sent = await sendAll(stage, modelId, times(3, sender))
        await Promise.all(started(sent).map(({ stream }) => stream.take()))
      }
    }),
  )
  for (let round = 0; round < 12; round++) {
    const client = round % 2 ? stage.server : stage.other
    const made = await Promise.all(
      [{ user_id: person.userId }, { api_key_id: key.id }].map((subject) =>
        setBudget(client, person, { ...subject, credits_per_month: 1e9 }),
      ),
    )
    await expectSoundLedger(sql(), person.organizationId)
    for (const { id } of made)
      await client.call(
        'DELETE',
        `/api/billing/budgets/delete?org_id=${person.organizationId}&budget_id=${id}`,
        {
          token: person.token,
        },
      )
  }
  await setBudget(stage.server, person, { user_id: person.userId, credits_per_month: 1e9 })
  isOver = true
  await talking
  await expectSoundLedger(sql(), person.organizationId)
})
