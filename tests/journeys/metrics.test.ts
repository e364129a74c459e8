import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isInstalled, needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { openMessage } from '#tests/support/reader.ts'
import { type RedisServer, startRedis } from '#tests/support/redis.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** The metrics for an operator's Prometheus, and the dashboard that shows them. */

let redis: RedisServer | undefined
let provider: Awaited<ReturnType<typeof startProvider>>
let server: TestServer

beforeAll(async () => {
  redis = isInstalled('Redis') ? await startRedis() : undefined
  provider = await startProvider()
  server = await startTestServer(redis && { REDIS_URL: redis.url })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
  await redis?.stop()
})

const scrape = async (): Promise<string> => (await server.call('GET', '/metrics')).text

/** Returns the value of a series, `name{label="value"}`, or undefined if it doesn't exist. */
function seriesOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

test('while all connections are busy, a scrape counts waiting statements and omits what it cannot read', async () => {
  const { sql } = server.server.services.database
  const over = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const connections = Array.from({ length: sql.options.max }, (_, index) => {
    const begun = Promise.withResolvers<void>()
    const ended = sql.begin(async (tx) => {
      if (index === 0) {
        await tx`select pg_advisory_xact_lock(1)`
        locked.resolve()
      }
      await locked.promise
      begun.resolve()
      // One statement waits for the lock until the first transaction ends.
      if (index === 1) await tx`select pg_advisory_xact_lock(1)`
      await over.promise
    })
    return { begun: begun.promise, ended }
  })
  await Promise.all(connections.map(({ begun }) => begun))
  const waiting = sql.begin(async () => {})
  const text = await scrape().finally(over.resolve)
  // The embedded database has no second connection whose statement could wait for the lock.
  const running = connections.length > 1 ? 1 : 0
  expect(seriesOf(text, 'parley_database_pool{state="running"}')).toBe(running)
  expect(seriesOf(text, 'parley_database_pool{state="waiting"}')).toBeGreaterThanOrEqual(3)
  for (const name of [
    'parley_holds_open',
    'parley_holds_oldest_seconds',
    'parley_webhook_deliveries_pending',
  ])
    expect([name, seriesOf(text, name)]).toEqual([name, undefined])
  expect(text).not.toContain('parley_jobs_waiting{')
  await Promise.all([waiting, ...connections.map(({ ended }) => ended)])
})

test('each metric changes with the events that it counts', async () => {
  const { sql } = server.server.services.database
  const person = await server.signUp()
  const addModel = (version: string) =>
    server.addModel(person, {
      provider: 'openai-compatible',
      version,
      config: { base_url: `${provider.url}/v1` },
    })
  await sql`
    with endpoint as (
      insert into webhook_endpoints (id, organization_id, url, event_types, secret, created_by)
      values (gen_random_uuid(), ${person.organizationId}, 'https://example.com', '{}', 'x', ${person.userId})
      returning id, organization_id)
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data, status)
    select gen_random_uuid(), organization_id, id, number, 'x', '{}', case when number < 3 then 'pending' else 'failed' end
    from endpoint, generate_series(1, 3) as number`
  await sql`
    insert into jobs.job (name, data, start_after)
    select 'mail', '{}', now() + interval '1 hour' from generate_series(1, 2)`

  const stream = await openMessage(
    server.url,
    person,
    { model_id: await addModel('emu-n200-gap20') },
    { content: 'Hi' },
  )
  await stream.take(3)
  const during = await scrape()
  expect(seriesOf(during, 'parley_streams_open')).toBe(1)
  expect(seriesOf(during, 'parley_replies_open')).toBe(1)
  expect(seriesOf(during, 'parley_holds_open')).toBe(1)
  expect(seriesOf(during, 'parley_holds_oldest_seconds')).toBeGreaterThan(0)
  expect(seriesOf(during, 'parley_webhook_deliveries_pending')).toBe(2)
  expect(seriesOf(during, 'parley_jobs_waiting{queue="mail"}')).toBe(2)
  const labels = 'provider="openai-compatible",model="emu-n200-gap20"'
  expect(seriesOf(during, `parley_first_token_seconds_count{${labels}}`)).toBe(1)
  expect(seriesOf(during, 'parley_reply_seconds_count')).toBe(0)
  if (redis) expect(seriesOf(during, 'parley_redis_up')).toBe(1)
  await stream.take()

  await server.call('GET', '/nowhere/else')
  const ended = async (name: string) => seriesOf(await scrape(), name)
  await expect.poll(() => ended('parley_streams_open')).toBe(0)
  await expect.poll(() => ended('parley_replies_open')).toBe(0)
  const after = await scrape()
  expect(seriesOf(after, 'parley_reply_seconds_count')).toBe(1)
  expect(seriesOf(after, 'parley_replies_total{status="complete"}')).toBe(1)
  expect(seriesOf(after, `parley_tokens_total{${labels},direction="output"}`)).toBe(200)
  const read = seriesOf(after, `parley_tokens_total{${labels},direction="input"}`) ?? 0
  expect(seriesOf(after, `parley_credits_total{${labels}}`)).toBe(200 + read)
  expect(seriesOf(after, `parley_model_calls_total{${labels},outcome="ok"}`)).toBe(1)
  expect(seriesOf(after, `parley_model_call_seconds_count{${labels}}`)).toBe(1)
  const request = 'parley_http_request_seconds_count'
  expect(seriesOf(after, `${request}{method="GET",route="unknown",status="404",kind="request"}`)).toBe(1)
  const sent = 'method="POST",route="/api/chat/send_message",status="200",kind="stream"'
  expect(seriesOf(after, `${request}{${sent}}`)).toBe(1)
  expect(after).not.toContain(person.organizationId)

  // Charges outside of chats count as well.
  const model = await addModel('emu-n10')
  const { status } = await server.call('POST', `/openai/v1/chat/completions`, {
    token: person.token,
    headers: { 'X-Organization-Id': person.organizationId },
    body: { model, messages: [{ role: 'user', content: 'Hi' }] },
  })
  expect(status).toBe(200)
  const other = 'provider="openai-compatible",model="emu-n10",direction="output"'
  await expect.poll(() => ended(`parley_tokens_total{${other}}`)).toBe(10)
})

interface Panel {
  id: number
  type: string
  title: string
  datasource?: { type: string; uid: string }
  gridPos: { x: number; y: number; w: number; h: number }
  fieldConfig?: { defaults: { unit?: string } }
  targets?: { expr: string; refId: string; datasource: { uid: string } }[]
}
const dashboard = JSON.parse(readFileSync('deploy/grafana/parley-dashboard.json', 'utf8')) as {
  panels: Panel[]
  templating: { list: { name: string; type: string; query: unknown }[] }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of variables in Grafana
const SOURCE = '${datasource}'
/** PromQL keywords that the dashboard uses. */
const PROMQL = /^(sum|max|min|by|rate|histogram_quantile|topk|le|__rate_interval)$/
/** Labels that Prometheus itself adds to each series. */
const TARGET_LABELS = ['instance', 'job']

test('the dashboard uses only metrics that /metrics serves', async () => {
  server.server.services.metrics.rateLimited.inc({ window: 'ip' })
  server.server.services.metrics.stalls.inc({ work: 'job test' })
  const text = await scrape()
  const labels = new Map<string, Set<string>>()
  for (const [, name = '', inside = ''] of text.matchAll(/^([a-z_]\w*)(?:\{([^}]*)\})? /gim)) {
    const known = labels.get(name) ?? new Set(TARGET_LABELS)
    for (const [, label = ''] of inside.matchAll(/(\w+)="/g)) known.add(label)
    labels.set(name, known)
  }
  if (!redis) labels.set('parley_redis_up', new Set(TARGET_LABELS))
  for (const { title, targets = [] } of dashboard.panels)
    for (const { expr } of targets) {
      const bare = expr.replace(/"[^"]*"/g, '""').replaceAll('$', '')
      const metrics = [...bare.matchAll(/([a-z_]\w*)\{/g)].map(([, name = '']) => name)
      const known = metrics.map((name) => labels.get(name))
      expect([title, metrics.filter((_, place) => known[place] === undefined)]).toEqual([title, []])
      const others = [...bare.matchAll(/[a-z_]\w*/gi)]
        .map(([word]) => word)
        .filter((word) => !metrics.includes(word) && !PROMQL.test(word))
      expect([title, others.filter((word) => !known.every((one) => one?.has(word)))]).toEqual([title, []])
    }
  const shown = JSON.stringify(dashboard.panels)
  const ours = [...text.matchAll(/^# TYPE (parley_\w+) /gm)].map(([, name = '']) => name)
  expect(ours.filter((name) => !shown.includes(name))).toEqual([])
})

test('each panel of the dashboard has a position, a source and a unit', () => {
  const { panels, templating } = dashboard
  expect(templating.list).toMatchObject([{ name: 'datasource', type: 'datasource', query: 'prometheus' }, {}])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { title, type, datasource, fieldConfig, targets = [], gridPos } of panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    if (type === 'row') continue
    expect([title, datasource]).toEqual([title, { type: 'prometheus', uid: SOURCE }])
    expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/./)])
    expect(targets.length).toBeGreaterThan(0)
    for (const target of targets) {
      expect(target.datasource.uid).toBe(SOURCE)
      expect(target.expr).not.toMatch(/\[(?!\$__rate_interval\])/)
    }
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
  }
  const overlaps = panels.flatMap((one, place) =>
    panels.slice(place + 1).filter((other) => areOver(one.gridPos, other.gridPos)),
  )
  expect(overlaps).toEqual([])
})

const areOver = (one: Panel['gridPos'], other: Panel['gridPos']): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h

test('an unavailable Redis is reported as down', needs('Redis'), async () => {
  await redis?.stop()
  expect(seriesOf(await scrape(), 'parley_redis_up')).toBe(0)
})

test('requests from this machine are allowed, except through a proxy', async () => {
  expect((await server.call('GET', '/metrics')).status).toBe(200)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
    const { status } = await server.call('GET', '/metrics', { headers: { [name]: '203.0.113.1' } })
    expect([name, status]).toEqual([name, 404])
  }
})
