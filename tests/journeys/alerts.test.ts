import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isInstalled, needs } from '#tests/support/programs.ts'
import { evaluate, type Sample, type Scrape } from '#tests/support/promql.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { type RedisServer, startRedis } from '#tests/support/redis.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { mountDisk } from '#tests/support/small-disk.ts'

/**
 * The alert rules for an operator's Prometheus: each fires on the metrics of a server in trouble, and not before. How long
 * a rule has to hold (`for`) and the templates of annotations are not tested, because that needs Prometheus.
 */

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}
const rules = (
  parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules)
const PROVIDER = 'openai-compatible'

let redis: RedisServer | undefined
let provider: Awaited<ReturnType<typeof startProvider>>
let server: TestServer
let person: Awaited<ReturnType<TestServer['signUp']>>
const models = new Map<string, string>()
beforeAll(async () => {
  redis = isInstalled('Redis') ? await startRedis() : undefined
  provider = await startProvider()
  server = await startTestServer({
    CONNECTIONS_PER_SERVICE_MAX: '1',
    ...(redis && { REDIS_URL: redis.url }),
  })
  person = await server.signUp()
  for (const version of ['emu-n2', 'emu-err500', 'emu-hang', 'emu-n2-ttft11000'])
    models.set(
      version,
      await server.addModel(person, {
        provider: PROVIDER,
        version,
        config: { base_url: `${provider.url}/v1` },
      }),
    )
})
afterAll(async () => {
  await server?.stop()
  await provider?.close()
  await redis?.stop()
})

const scrape = async (of = server): Promise<Scrape> => ({
  at: performance.now() / 1_000,
  text: (await of.call('GET', '/metrics')).text,
})
const firing = (alert: string, before: Scrape, now: Scrape): Sample[] => {
  const rule = rules.find((one) => one.alert === alert)
  if (!rule) throw new Error(`no alert ${alert}`)
  return evaluate(rule.expr, before, now)
}

function ask(version: string, signal?: AbortSignal) {
  return server.call('POST', '/openai/v1/chat/completions', {
    token: person.token,
    headers: { 'X-Organization-Id': person.organizationId },
    body: { model: models.get(version), messages: [{ role: 'user', content: 'Hi' }] },
    ...(signal && { signal }),
  })
}

/** Expects that an alert does not fire, and that it fires after `cause`. Returns the samples. */
async function fires(alert: string, cause: () => Promise<unknown>): Promise<Sample[]> {
  const before = await scrape()
  expect([alert, firing(alert, before, await scrape())]).toEqual([alert, []])
  await cause()
  const samples = firing(alert, before, await scrape())
  expect([alert, samples.length]).toEqual([alert, 1])
  return samples
}

const sql = () => server.server.services.database.sql

/** The troubles of one server, each with its alert. */
const CAUSES: Record<string, () => Promise<void>> = {
  async ParleyModelFailures() {
    await ask('emu-err500')
    const [sample] = await fires('ParleyModelFailures', () => ask('emu-err500'))
    expect(sample).toEqual({ labels: { provider: PROVIDER, model: 'emu-err500' }, value: 1 })
  },
  async ParleyServerErrors() {
    await fires('ParleyServerErrors', async () => {
      for (let count = 0; count < 3; count++) await ask('emu-err500')
    })
  },
  async ParleyFirstTokenSlow() {
    await ask('emu-n2')
    // A histogram's series exist from its first observation on, and a rate needs two samples.
    server.server.services.metrics.firstToken.zero({ provider: PROVIDER, model: 'emu-n2-ttft11000' })
    await fires('ParleyFirstTokenSlow', () => ask('emu-n2-ttft11000'))
  },
  async ParleyCallsWaiting() {
    const end = new AbortController()
    await fires('ParleyCallsWaiting', async () => {
      for (let count = 0; count < 2; count++) ask('emu-hang', end.signal).catch(() => {})
      await expect.poll(async () => (await scrape()).text).toMatch(/^parley_calls_waiting 1$/m)
    })
    end.abort()
  },
  async ParleyHoldsOld() {
    const end = new AbortController()
    await ageOf('ParleyHoldsOld', async () => {
      ask('emu-hang', end.signal).catch(() => {})
      await expect
        .poll(async () => (await sql()`update open_holds set created_at = now() - interval '2 hours'`).count)
        .toBeGreaterThan(0)
    })
    end.abort()
  },
  async ParleyDatabaseWaits() {
    const over = Promise.withResolvers<void>()
    const held: Promise<unknown>[] = []
    await fires('ParleyDatabaseWaits', async () => {
      for (let count = 0; count <= sql().options.max; count++) held.push(sql().begin(() => over.promise))
      await sleep(1_200)
    }).finally(over.resolve)
    await Promise.all(held)
  },
  async ParleyEventLoopStalled() {
    // A busy machine stalls the loop, too, so the alert may fire before.
    const end = performance.now() + 1_500
    while (performance.now() < end);
    await expect
      .poll(async () => {
        const now = await scrape()
        return firing('ParleyEventLoopStalled', now, now).length
      })
      .toBe(1)
  },
  async ParleyJobsLate() {
    await ageOf('ParleyJobsLate', async () => {
      await sql()`select jobs.create_queue('alert-test', '{"policy": "standard"}'::jsonb)`
      await sql()`insert into jobs.job (name, data, start_after) values ('alert-test', '{}', now() - interval '1 hour')`
    })
  },
  async ParleyWebhooksLate() {
    await ageOf(
      'ParleyWebhooksLate',
      () => sql()`
        with endpoint as (
          insert into webhook_endpoints (id, organization_id, url, event_types, secret, created_by)
          values (gen_random_uuid(), ${person.organizationId}, 'https://example.com', '{}', 'x', ${person.userId})
          returning id, organization_id)
        insert into webhook_deliveries
          (id, organization_id, endpoint_id, sequence, event_type, data, status, created_at)
        select gen_random_uuid(), organization_id, id, 1, 'x', '{}', 'pending', now() - interval '2 hours'
        from endpoint`,
    )
  },
}

/** As `fires`, for values of the database, which are read at most every ten seconds. */
async function ageOf(alert: string, cause: () => Promise<unknown>): Promise<void> {
  const before = await scrape()
  expect([alert, firing(alert, before, before)]).toEqual([alert, []])
  await cause()
  await expect.poll(async () => firing(alert, before, await scrape()).length, { interval: 1_000 }).toBe(1)
}

test.each(Object.keys(CAUSES))(
  '%s',
  async (alert) => {
    await CAUSES[alert]?.()
  },
  90_000,
)

test('ParleyRedisDown', needs('Redis'), async () => {
  await fires('ParleyRedisDown', async () => redis?.stop())
})

describe('with a small disk', needs('mount'), () => {
  test('ParleyDiskLow, ParleyDiskFull', async () => {
    const disk = mountDisk()
    const small = await startTestServer({ DATA_DIR: disk.folder, DATABASE_URL: '' })
    try {
      const before = await scrape()
      for (const alert of ['ParleyDiskLow', 'ParleyDiskFull'])
        expect(firing(alert, before, before)).toEqual([])
      const low = await scrape(small)
      expect(firing('ParleyDiskLow', low, low)).toMatchObject([{ labels: { folder: 'data' } }])
      expect(firing('ParleyDiskFull', low, low)).toEqual([])
      disk.leave(50)
      const full = await scrape(small)
      expect(firing('ParleyDiskFull', full, full)).toHaveLength(1)
    } finally {
      await small.stop()
      disk.unmount()
    }
  })
})

test('every alert is caused above, apart from that of a scrape that fails, and has a runbook', () => {
  const caused = [...Object.keys(CAUSES), 'ParleyRedisDown', 'ParleyDiskLow', 'ParleyDiskFull', 'ParleyDown']
  expect(rules.map(({ alert }) => alert).sort()).toEqual(caused.sort())
  for (const { alert, labels, annotations } of rules)
    expect([alert, labels.severity, annotations]).toEqual([
      alert,
      expect.stringMatching(/^(critical|warning)$/),
      { summary: expect.any(String), runbook: expect.stringMatching(/\.$/) },
    ])
})

test('every metric has a line in the documentation, a panel or an alert, and no name is unknown', async () => {
  const { text } = await scrape()
  const served = [...text.matchAll(/^# TYPE (parley_\w+) /gm)].map(([, name = '']) => name)
  const documented = [...readFileSync('docs/observability.md', 'utf8').matchAll(/^\| (parley_\w+) \|/gm)].map(
    ([, name = '']) => name,
  )
  const withRedis = redis ? served : [...served, 'parley_redis_up']
  expect(documented.sort()).toEqual(withRedis.sort())
  const used = rules.flatMap(({ expr }) => expr.match(/parley_\w+/g) ?? [])
  expect(used.filter((name) => !withRedis.includes(name.replace(/_(?:bucket|count|sum)$/, '')))).toEqual([])
})
