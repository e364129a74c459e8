import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { FAULTS, type Fault } from './faults.ts'
import { type Outcome, REQUESTS, type RequestName, sendMessage, uploadedPicture } from './requests.ts'
import { openStage, type Stage } from './stage.ts'

/*
 * `npm run test:faults`: makes each dependency of a running server fail, and prints a line per fault. During the fault,
 * every request gets a clear response in time. Afterwards everything works again without a restart, nothing that the
 * server acknowledged is lost, and all holds are settled.
 */

/** Twice the 3 seconds that Parley promises, because a busy machine adds to its time limits. */
const ANSWER_MAX_MS = 6_000
const RECOVERY_MAX_MS = 10_000
/** Longer than ANSWER_MAX_MS, so that an answer does not come in time only because the fault has ended. */
const BROKEN_MS = 6_200
/** Pause between two requests of a kind. Sign-ins are limited to 200 per network. */
const PAUSE_MS = 400
/** Time for a reply to receive text, and for a result of /readyz to expire, before the fault begins. */
const LEAD_MS = 1_050
const POLL_MS = 50

/** Characters of the server's output that are shown if it has ended. */
const OUTPUT_SHOWN = 3_000

const COLUMNS = ['Fault', 'Slowest', 'Recovery', 'Reply', 'Lost', 'Open holds', 'Answers during the fault']
const WIDTHS = [29, 17, 8, 12, 4, 10]

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await uploadedPicture(stage)
  print(COLUMNS)
})
afterAll(() => stage.stop())

afterEach(async () => {
  const alive = await stage.server.call('GET', '/healthz').catch(() => undefined)
  if (alive?.status !== 200)
    throw new Error(`the server has ended:\n${stage.server.output().slice(-OUTPUT_SHOWN)}`)
})

test.each(FAULTS)('$name', async (fault) => {
  const reply = sendMessage(stage, stage.models.slow, { content: randomUUID() })
  await sleep(LEAD_MS)
  const end = await fault.begin(stage)
  const sent = await sendDuring(fault).finally(end)
  const recoveryMs = await recover()
  const seen = await Promise.all(sent.map(async ([name, outcome]) => [name, await outcome] as const))
  const { status: replyStatus, ...replied } = await reply
  const lost = await countLost([replied, ...seen.map(([, outcome]) => outcome)])
  const openHolds = await countOpenHolds()
  const [slowestName, { ms: slowest }] = seen.toSorted(([, one], [, other]) => other.ms - one.ms)[0] as Seen
  print([
    ...[fault.name, `${slowest} ms ${slowestName}`, `${recoveryMs} ms`, String(replyStatus)],
    ...[String(lost), String(openHolds), summarize(seen)],
  ])

  expect(findUnexpected(fault, seen)).toEqual(new Set())
  expect(slowest).toBeLessThanOrEqual(ANSWER_MAX_MS)
  expect(recoveryMs).toBeLessThanOrEqual(RECOVERY_MAX_MS)
  expect(replyStatus).toBe(fault.reply ?? 200)
  expect([lost, openHolds]).toEqual([0, 0])
  const sql = stage.openSql()
  await expectSoundLedger(sql, stage.person.organizationId)
  await sql.end()
})

type Seen = readonly [RequestName, Outcome]

/** Sends all requests at the same time, each again and again while the fault lasts. Does not wait for the last ones. */
async function sendDuring({ skipped = [] }: Fault): Promise<(readonly [RequestName, Promise<Outcome>])[]> {
  const sent: (readonly [RequestName, Promise<Outcome>])[] = []
  let isOver = false
  const over = sleep(BROKEN_MS).then(() => {
    isOver = true
  })
  const repeat = async (name: RequestName): Promise<void> => {
    while (!isOver) {
      const outcome = REQUESTS[name](stage)
      sent.push([name, outcome])
      await Promise.race([outcome, over])
      await sleep(PAUSE_MS)
    }
  }
  const names = (Object.keys(REQUESTS) as RequestName[]).filter((name) => !skipped.includes(name))
  await Promise.all(names.map(repeat))
  return sent
}

const CREATES: readonly RequestName[] = ['create', 'upload']

/** Describes the responses that are not as expected. */
function findUnexpected({ expected }: Fault, seen: readonly Seen[]): Set<string> {
  const unexpected = new Set<string>()
  for (const [name, { status, fault = '' }] of seen) {
    const allowed = expected[name] ?? [CREATES.includes(name) ? 201 : 200]
    if (fault !== '' || !allowed.includes(status)) unexpected.add(`${name} ${status} ${withoutIds(fault)}`)
  }
  return unexpected
}

const withoutIds = (text: string): string => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')

/** Returns the milliseconds until all requests have succeeded. */
async function recover(): Promise<number> {
  const began = performance.now()
  for (;;) {
    const names = Object.keys(REQUESTS) as RequestName[]
    const outcomes = await Promise.all(names.map((name) => REQUESTS[name](stage)))
    const failed = outcomes.flatMap(({ status }, index) =>
      status === 200 || status === 201 ? [] : [`${names[index]} (${status})`],
    )
    const ms = Math.round(performance.now() - began)
    if (failed.length === 0) return ms
    if (ms > 4 * RECOVERY_MAX_MS) throw new Error(`no recovery of ${failed.join(', ')}`)
    await sleep(POLL_MS)
  }
}

async function countLost(outcomes: readonly Pick<Outcome, 'isKept'>[]): Promise<number> {
  const kept = await Promise.all(outcomes.map(async ({ isKept }) => (isKept ? isKept() : true)))
  return kept.filter((isKept) => !isKept).length
}

/** Returns the number of holds that are still open after the time of a recovery. */
async function countOpenHolds(): Promise<number> {
  const sql = stage.openSql()
  const deadline = performance.now() + RECOVERY_MAX_MS
  let open: number
  do {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from open_holds`
    open = row?.count ?? 0
    await sleep(POLL_MS)
  } while (open > 0 && performance.now() < deadline)
  await sql.end()
  return open
}

/** Lists the statuses with the requests that had them: `500 list, login; 503 readyz`. */
function summarize(seen: readonly Seen[]): string {
  const names = new Map<string, Set<string>>()
  for (const [name, { status }] of seen) {
    const ofStatus = names.get(String(status)) ?? new Set()
    names.set(String(status), ofStatus.add(name))
  }
  return [...names].map(([status, some]) => `${status} ${[...some].join(', ')}`).join('; ')
}

function print(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join(' ')}\n`)
}
