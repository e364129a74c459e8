import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineRoute } from '#platform/http/define-route.ts'
import { createJobs, type Queue } from '#platform/jobs/jobs.ts'
import { currentWork } from '#platform/telemetry/running.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** The log and the metrics name what stalled the event loop. Stalls of a slow machine may be logged, too. */

const STALL_MS = 400
const URL = '/api/tests/stall'
const QUEUE = 'stall-tests'

let server: TestServer
const warnings: { work?: string }[] = []

function stallTheLoop(): void {
  const end = performance.now() + STALL_MS
  while (performance.now() < end);
}

const route = defineRoute({
  method: 'POST',
  url: URL,
  summary: 'Stalls the event loop',
  access: { permission: 'agent:read', orgOf: 'query' },
  effects: 'database',
  body: Type.Object({}),
  reply: [200, Type.Object({})],
  errors: [],
  async handler({ scope }) {
    // Work after a statement belongs to the request, too.
    await scope.sql`select`
    stallTheLoop()
    return {}
  },
})

beforeAll(async () => {
  server = await startTestServer({}, { routes: [route] })
  server.server.services.log.warn = ((fields: object) => void warnings.push(fields)) as never
})
afterAll(() => server.stop())

/** Causes stalls until the log names one. The thread of the watch may miss one while the machine is busy. */
async function logOf(work: string, cause: () => unknown): Promise<unknown> {
  await expect
    .poll(
      async () => {
        await cause()
        return warnings.map((fields) => fields.work)
      },
      { interval: 200 },
    )
    .toContain(work)
  return warnings.find((fields) => fields.work === work)
}

const countOf = async (work: string): Promise<number> => {
  const { text } = await server.call('GET', '/metrics')
  const series = `parley_event_loop_stalls_total{work="${work}"} `
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(series))
      ?.slice(series.length) ?? 0,
  )
}

const longest = async (): Promise<number> => {
  const { text } = await server.call('GET', '/metrics')
  return Number(/^parley_event_loop_longest_stall_seconds (.*)$/m.exec(text)?.[1])
}

test('a request that stalls the loop is named with its organization and its code', async () => {
  const person = await server.signUp()
  const work = `POST ${URL}`
  const logged = await logOf(work, () =>
    server.call('POST', `${URL}?org_id=${person.organizationId}`, { token: person.token, body: {} }),
  )
  expect(logged).toEqual({
    ms: expect.any(Number),
    cpu_ms: expect.any(Number),
    work,
    organization_id: person.organizationId,
    frames: expect.arrayContaining([
      expect.stringMatching(/^stallTheLoop \(tests\/journeys\/stalls\.test\.ts:/),
    ]),
  })
  expect((logged as { ms: number }).ms).toBeGreaterThanOrEqual(200)
  expect(await countOf(work)).toBeGreaterThanOrEqual(1)
  expect(await longest()).toBeGreaterThanOrEqual(0.2)
  expect((await server.call('GET', '/metrics')).text).not.toContain(person.organizationId)
})

test('a job that stalls the loop is named', async () => {
  const { database, sweeps, log } = server.server.services
  const jobs = createJobs({ database, sweeps, log })
  const queue: Queue<{ organizationId: string }> = {
    name: QUEUE,
    retries: 0,
    firstRetrySeconds: 1,
    timeoutSeconds: 60,
    concurrency: 1,
    run: async () => stallTheLoop(),
  }
  await jobs.start([queue as Queue<never>], 1)
  const logged = await logOf(`job ${QUEUE}`, () =>
    jobs.add(database.sql, queue, { organizationId: 'of-the-job' }),
  )
  expect(logged).toMatchObject({ organization_id: 'of-the-job' })
  expect(await countOf(`job ${QUEUE}`)).toBeGreaterThanOrEqual(1)
  await jobs.stop()
})

test('a sweep that stalls the loop is named', async () => {
  const { sweeps } = server.server.services
  const sweep = sweeps.begin({
    name: 'stall test',
    everyMs: 50,
    find: async () => [1],
    work: async () => stallTheLoop(),
    failure: 'failed',
  })
  expect(await logOf('sweep stall test', () => {})).toMatchObject({ organization_id: null })
  await sweep.end()
})

test('no work is current outside of requests, jobs and sweeps', () => {
  expect(currentWork()).toBeUndefined()
})
