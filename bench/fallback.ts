import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/main.ts'
import { type Client, createClient, type Person } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { startProvider } from '../tests/support/provider/index.ts'
import { NODE_OPTIONS, POSTGRES_SETTINGS } from './parley.ts'
import { describeTimes, quantile } from './times.ts'

/*
 * Measures a route whose first model fails, on PostgreSQL:
 *
 *   node bench/fallback.ts
 *
 * The first model answers 500, 429 or nothing; the second one works. For each case, sends 1,000 requests to the route
 * and 1,000 to the second model alone, in pairs, so that other work on the machine affects both alike. Each request to
 * the route must succeed and be charged once, to the second model. The server runs in a process of its own.
 */

const REQUESTS = 1_000
const CONCURRENT = 8
const CASES = { err500: '500', err429: '429', hang: 'nothing' }
/** Shorter than the defaults, so that the case without an answer ends within minutes. */
const MODEL_TIMEOUTS = { connectMs: 5_000, firstTokenMs: 5_000, betweenTokensMs: 5_000 }
const PERCENTS = [50, 90, 99] as const

type Provider = Awaited<ReturnType<typeof startProvider>>

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir)
  const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
  await postgres.createDatabase('parley')
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, DATABASE_URL: postgres.url('parley') }
  const server = fork(import.meta.filename, ['server'], { env, execArgv: NODE_OPTIONS })
  const failing = await startProvider()
  const working = await startProvider({ record: false })
  try {
    const [address] = await once(server, 'message')
    const client = createClient(address)
    for (const fault of Object.keys(CASES) as (keyof typeof CASES)[])
      await measureCase(client, { failing, working }, fault)
  } finally {
    server.kill('SIGKILL')
    await Promise.all([failing.close(), working.close()])
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureCase(
  client: Client,
  { failing, working }: { failing: Provider; working: Provider },
  fault: keyof typeof CASES,
): Promise<void> {
  const person = await client.signUp()
  const add = (provider: Provider, version: string): Promise<string> =>
    client.addModel(person, {
      name: version,
      provider: 'openai-compatible',
      version,
      config: { base_url: `${provider.url}/v1` },
    })
  const first = await add(failing, `emu-${fault}`)
  const second = await add(working, 'emu-n3')
  const alone = await add(working, 'emu-n4')
  const members = [{ model_id: first }, { model_id: second }]
  const config = { route: { strategy: 'ordered', members } }
  const route = await client.addModel(person, { provider: 'route', version: '1', config })
  await complete(client, person, alone)
  const before = failing.requests.length
  const times: Record<'routed' | 'direct', number[]> = { routed: [], direct: [] }
  let succeeded = 0
  let next = 0
  const send = async (): Promise<void> => {
    while (next++ < REQUESTS) {
      times.direct.push((await complete(client, person, alone)).time)
      const { time, isOk, text } = await complete(client, person, route)
      times.routed.push(time)
      if (isOk) succeeded += 1
      else console.log(`  failed: ${text}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, send))
  const tried = failing.requests.length - before
  console.log(`The first model answers ${CASES[fault]}:`)
  console.log(
    `  ${succeeded} of ${REQUESTS} requests succeeded, ${await countDebits(client, person, second)} charged once`,
  )
  console.log(`  ${tried} requests were sent to the first model`)
  for (const [name, all] of Object.entries(times)) console.log(`  ${name}: ${describeTimes(all, PERCENTS)}`)
  const ratios = PERCENTS.map((percent) => {
    const [routed, direct] = [times.routed, times.direct].map((all) => quantile(all, percent / 100))
    return `p${percent} ${((routed ?? 0) / (direct ?? 0)).toFixed(2)}`
  })
  console.log(`  ratios: ${ratios.join(', ')}`)
}

async function complete(
  client: Client,
  { token }: Person,
  model: string,
): Promise<{ time: number; isOk: boolean; text: string }> {
  const began = performance.now()
  const { status, body, text } = await client.call('POST', '/openai/v1/chat/completions', {
    token,
    body: { model, messages: [{ role: 'user', content: 'say: Good day' }] },
  })
  const isOk = status === 200 && body.choices[0].message.content === 'Good day'
  return { time: performance.now() - began, isOk, text }
}

/** Returns the number of charged calls of a model. Fails unless each hold has its own debit. */
async function countDebits(
  client: Client,
  { token, organizationId }: Person,
  modelId: string,
): Promise<number> {
  const holds: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const path = `/api/billing/ledger?org_id=${organizationId}&kind=DEBIT&limit=100${cursor && `&cursor=${cursor}`}`
    const { body } = await client.call('GET', path, { token })
    for (const entry of body.data) if (entry.model_id === modelId) holds.push(entry.hold_id)
    cursor = body.pagination.next_cursor
  }
  if (new Set(holds).size !== holds.length) throw new Error('A hold was charged twice')
  return holds.length
}

async function serve(): Promise<void> {
  const config = readConfig({
    ...process.env,
    ...UNLIMITED,
    PORT: '0',
    SECRET: 's'.repeat(32),
    LOG_LEVEL: 'silent',
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  })
  const server = await startServer(config, undefined, { modelTimeouts: MODEL_TIMEOUTS })
  process.send?.(server.address)
}

await (process.argv[2] === 'server' ? serve() : measure())
