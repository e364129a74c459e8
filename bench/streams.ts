import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentiles, type Target } from './load.ts'
import { startParley } from './parley.ts'
import { startProvider } from './start-provider.ts'

/*
 * Measures many slow replies in one process on PostgreSQL, and other requests beside them:
 *
 *   node bench/streams.ts
 *
 * Clients send their messages spread over 20 seconds. A reply takes 60 seconds (200 tokens, 300 ms apart), so that all of
 * them stream at the same time. Once per 200 ms, one more client lists its chats.
 */

const GAP_MS = 300
const SPREAD_MS = 20_000
const PROBE_MS = 200
/** The number of streams, and the setting CONNECTIONS_PER_SERVICE_MAX. 0 is the default, and 1024 was the fixed limit. */
const CASES: readonly (readonly [number, number])[] = [
  [500, 0],
  [2_000, 0],
  [2_000, 1_024],
]

/** Sends a message and reads its reply to the end. Resolves with the milliseconds until its first token. */
function readReply({ url, headers, body, markers }: Target): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const begin = performance.now()
  const sent = request(url, {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  sent.on('error', reject)
  sent.on('response', (response) => {
    let firstToken = Number.POSITIVE_INFINITY
    response.on('data', (chunk: Buffer) => {
      if (firstToken === Number.POSITIVE_INFINITY && chunk.includes(markers.token))
        firstToken = performance.now() - begin
    })
    response.on('end', () => resolve(firstToken))
    response.on('error', reject)
  })
  sent.end(JSON.stringify(body))
  return promise
}

/**
 * Returns the bucket of the 95th percentile of the time from a model call to its first output, in seconds. It excludes the
 * writes to the database, which a busy disk delays.
 */
function boundOfFirstToken(metrics: string): string {
  const buckets = [...metrics.matchAll(/^parley_first_token_seconds_bucket\{le="([^"]+)".* (\d+)$/gm)]
  const total = Number(buckets.at(-1)?.[2])
  return `≤ ${buckets.find(([, , count]) => Number(count) >= 0.95 * total)?.[1]} s`
}

async function measure(streams: number, connectionsMax: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const provider = await startProvider(folder)
  const environment = { CONNECTIONS_PER_SERVICE_MAX: String(connectionsMax) }
  const parley = await startParley({ providerUrl: provider.url, folder }, { environment, chats: streams })
  try {
    const target = await parley.target({ connections: streams, gapMs: GAP_MS })
    const { origin, searchParams } = new URL(target.url)
    const list = `${origin}/api/chat/list?org_id=${searchParams.get('org_id')}`
    const others: number[] = []
    let isOver = false
    const probing = (async () => {
      while (!isOver) {
        const begin = performance.now()
        const { status } = await fetch(list, { headers: target.headers })
        others.push(status === 200 ? performance.now() - begin : Number.POSITIVE_INFINITY)
        await sleep(PROBE_MS)
      }
    })()
    const firsts = await Promise.all(
      (target.urls ?? []).map(async (url, index) => {
        await sleep((index * SPREAD_MS) / streams)
        return readReply({ ...target, url })
      }),
    )
    isOver = true
    await probing
    const [first, other] = [percentiles(firsts), percentiles(others)]
    const ofCalls = boundOfFirstToken(await (await fetch(`${origin}/metrics`)).text())
    const ms = [first.p50, first.p95, other.p50, other.p95].map(Math.round)
    return [streams, connectionsMax || 'default', ...ms.slice(0, 2), ofCalls, ...ms.slice(2)].map(String)
  } finally {
    await parley.stop()
    await provider.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

console.log(
  'streams  connections  first token p50, p95 ms  of the model call p95  other requests p50, p95 ms',
)
for (const [streams, connectionsMax] of CASES)
  console.log((await measure(streams, connectionsMax)).join('  '))
