import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, StreamEvent } from '#tests/support/client.ts'
import { PlayedAgents, succeeded, tool } from '#tests/support/played-agents.ts'
import { isInstalled } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { idsOf, openMessage, resumeMessage, type StreamReader } from '#tests/support/reader.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * A reader of a reply with tools disconnects after any event and resumes: at the same process, at another one, or
 * from storage. It receives all text, and each named event once and in order.
 */

const SEEDS = [1, 2]
const MODEL = 'emu-n6-gap5-r3'

const database = await createDatabase()
const isShared = database !== null && isInstalled('Redis')
let redis: Awaited<ReturnType<typeof startRedis>> | undefined
let provider: Awaited<ReturnType<typeof startProvider>>
let writer: TestServer
let other: TestServer | undefined

/** A tool that returns after `ms` milliseconds. Its result is a failure if `fails` is true. */
const nap = tool('nap', async ({ ms, fails }) => {
  await sleep(Number(ms))
  return fails ? { output: null, successful: false, error: 'Bad dream' } : succeeded({ ms })
})
/** Ends the running call of the tool `gate`. */
let release = (): void => {}
const gate = tool('gate', async () => {
  await new Promise<void>((resolve) => {
    release = resolve
  })
  return succeeded('open')
})
const agents = new PlayedAgents(() => provider.url)

beforeAll(async () => {
  provider = await startProvider()
  const environment = database ? { DATABASE_URL: database.url, SECRET: 's'.repeat(32) } : {}
  if (isShared) redis = await startRedis()
  const sharing = { ...environment, ...(redis && { REDIS_URL: redis.url }) }
  writer = await startTestServer(sharing, { agents })
  if (isShared) other = await startTestServer(sharing)
})
afterAll(async () => {
  await writer.stop()
  await other?.stop()
  await redis?.stop()
  await database?.drop()
  await provider.close()
})

/**
 * Returns a message that scripts three steps of the model: text between the steps, and tool calls that overlap in time.
 */
function messageOf(seed: number, isGated: boolean): string {
  const random = createRandom(seed)
  const step = (number: number): string => {
    const calls = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, at) =>
      JSON.stringify({ at, ms: Math.floor(random() * 60), fails: random() < 0.25 }),
    )
    const words = random() < 0.7 ? `say: Step ${number} of it. ` : ''
    return words + calls.map((input) => `TOOL:nap=${input}`).join(' ')
  }
  const gated = isGated ? ['say: Wait. TOOL:gate={}'] : []
  return [step(1), step(2), step(3), ...gated, 'say: And that is all that there is to say.'].join(' THEN ')
}

interface Seen {
  reasoning: string
  text: string
  /** The names of the events, and all data about tools. */
  named: unknown[]
  errors: number
}

/** Returns a client's view of a reply, regardless of its source. */
const seenIn = (events: StreamEvent[]): Seen => {
  const plain = events.filter(({ event }) => event === undefined).map(({ data }) => data)
  const join = (of: Record<string, unknown>[]): string => of.map(({ message }) => message ?? '').join('')
  return {
    reasoning: join(plain.filter(({ type }) => type === 'reasoning')),
    text: join(plain.filter(({ type }) => type === undefined)),
    named: events.flatMap(({ event, data }) =>
      event === undefined ? [] : [event === 'tool' ? data : event],
    ),
    errors: plain.filter((data) => 'error' in data).length,
  }
}

const idOf = (event: StreamEvent | undefined) => event?.id
const open = (person: Person, seed: number, { named = true, isGated = false } = {}): Promise<StreamReader> =>
  openMessage(
    writer.url,
    person,
    { agent_id: agents.add(MODEL, [nap, gate]), ...(named && { events: 'all' }) },
    { content: messageOf(seed, isGated) },
  )

describe.each(SEEDS)('history %i', (seed) => {
  test('during generation, through this process and another', async () => {
    const person = await writer.signUp()
    const stream = await open(person, seed, { isGated: true })
    const resumed: { after: number; reader: StreamReader }[] = []
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      const after = stream.events.length - 1
      for (const server of [writer, ...(other ? [other] : [])])
        resumed.push({
          after,
          reader: await resumeMessage(server.url, person, idsOf(stream), idOf(stream.events[after]), 'all'),
        })
      if (event.data['name'] === 'gate' && event.data['output'] === null) {
        expect(resumed.every(({ reader }) => reader.status === 200)).toBe(true)
        release()
      }
    }
    const whole = seenIn(stream.events)
    expect(whole.named.length).toBeGreaterThan(8)
    for (const { after, reader } of resumed) {
      const rest = reader.status === 204 ? [] : await reader.take()
      expect(seenIn([...stream.events.slice(0, after + 1), ...rest])).toEqual(whole)
    }
  })

  test('from storage, after live events and after stored ones', async () => {
    const person = await writer.signUp()
    const stream = await open(person, seed)
    const events = await stream.take()
    const whole = seenIn(events)
    const rest = async (after: StreamEvent | undefined): Promise<StreamEvent[]> => {
      const reader = await resumeMessage((other ?? writer).url, person, idsOf(stream), idOf(after), 'all')
      return reader.status === 204 ? [] : reader.take()
    }
    for (let cut = 0; cut <= events.length; cut++) {
      const before = events.slice(0, cut)
      const second = await rest(before.at(-1))
      expect(seenIn([...before, ...second])).toEqual(whole)
      const at = cut % (second.length + 1)
      const part = [...before, ...second.slice(0, at)]
      expect(seenIn([...part, ...(await rest(part.at(-1)))])).toEqual(whole)
    }
  })

  test('a plain client gets the text without tool events, live and from storage', async () => {
    const person = await writer.signUp()
    const stream = await open(person, seed, { named: false })
    const [first, second] = await stream.take(2)
    const late = await resumeMessage(writer.url, person, idsOf(stream), second?.id)
    const whole = await stream.take()
    expect(whole.every(({ event }) => event === undefined)).toBe(true)
    expect(seenIn([first as StreamEvent, second as StreamEvent, ...(await late.take())])).toEqual(
      seenIn(whole),
    )
    const stored = await resumeMessage(writer.url, person, idsOf(stream), second?.id)
    expect(seenIn([...whole.slice(0, 2), ...(await stored.take())])).toEqual(seenIn(whole))
  })
})
