import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import type { BacklogAnswer, BacklogRequest } from './background-server.ts'
import { generateLoad, type Target } from './load.ts'
import { NODE_OPTIONS, POSTGRES_SETTINGS } from './parley.ts'
import { type Case, modelOf, PROMPT, REPLY_TOKENS } from './peers/peer.ts'
import { startProvider } from './start-provider.ts'

/*
 * Measures the first token of replies beside background work, on the embedded database and on PostgreSQL:
 *
 *   node bench/background.ts
 *   node bench/background.ts --directory ../another-checkout --database embedded --rounds 6
 *
 * A backlog of 100,000 messages waits for the index of words. Rounds alternate: without the backlog, which is hidden from
 * the index, and beside it. Prints p50, p95 and p99 of each, their ratios, and how many messages the index took per second.
 */

const SETTLE_MS = 1_500
const CREDITS = '1000000000000'

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: join(import.meta.dirname, '..') },
    database: { type: 'string', default: 'embedded,postgres' },
    messages: { type: 'string', default: '100000' },
    streams: { type: 'string', default: '100' },
    gap: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '6' },
  },
})
const LOAD: Case = { connections: Number(flags.streams), gapMs: Number(flags.gap) }

async function measure(database: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const provider = await startProvider(folder)
  const postgres = database === 'postgres' ? await startDatabase(folder) : undefined
  const server = startServer(folder, postgres?.url('parley'))
  try {
    const { url } = (await answerOf(server)) as { url: string }
    const { target, ...owner } = await prepare(url, `${provider.url}/v1`)
    await ask(server, { do: 'fill', messages: Number(flags.messages), ...owner })
    const all = { without: [] as Sample[], beside: [] as Sample[] }
    for (let round = 0; round < Number(flags.rounds); round++) {
      await ask(server, { do: 'hide' })
      all.without.push(await run(server, target))
      await ask(server, { do: 'show' })
      all.beside.push(await run(server, target))
    }
    await ask(server, { do: 'hide' })
    print(database, all)
  } finally {
    server.kill('SIGTERM')
    await once(server, 'exit')
    await postgres?.stop()
    await provider.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startDatabase(folder: string) {
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir)
  const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
  await postgres.createDatabase('parley')
  return postgres
}

function startServer(folder: string, databaseUrl: string | undefined): ChildProcess {
  const log = openSync(join(folder, 'parley.log'), 'a')
  return fork(join(import.meta.dirname, 'background-server.ts'), [resolve(flags.directory)], {
    execArgv: NODE_OPTIONS,
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: join(folder, 'parley'),
      SECRET: 's'.repeat(32),
      STARTING_CREDITS: CREDITS,
      ALLOW_PRIVATE_NETWORK: 'true',
      RATE_LIMIT_IP_PER_MINUTE: '0',
      RATE_LIMIT_USER_PER_HOUR: '0',
      LOG_LEVEL: 'warn',
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  })
}

async function answerOf(server: ChildProcess): Promise<BacklogAnswer> {
  const end = new AbortController()
  try {
    const [answer] = await Promise.race([
      once(server, 'message', { signal: end.signal }),
      once(server, 'exit', { signal: end.signal }).then(() => {
        throw new Error('The server ended')
      }),
    ])
    return answer
  } finally {
    end.abort()
  }
}

async function ask(server: ChildProcess, request: BacklogRequest): Promise<number> {
  const answer = answerOf(server)
  server.send(request)
  return ((await answer) as { missing: number }).missing
}

/** Signs up, and adds a model and a chat for each stream. Each message starts a new branch of its chat. */
async function prepare(
  url: string,
  providerUrl: string,
): Promise<{ organizationId: string; userId: string; target: Target }> {
  const client = createClient(url)
  const person = await client.signUp()
  const { organizationId, userId, token } = person
  const modelId = await client.addModel(person, {
    name: 'bench',
    provider: 'openai-compatible',
    version: modelOf(LOAD),
    config: { base_url: providerUrl, api_key: 'k' },
  })
  const chats: string[] = []
  for (let index = 0; index < LOAD.connections; index++) {
    const { body } = await client.call('POST', `/api/chat?org_id=${organizationId}`, {
      token,
      body: { title: 'Bench' },
    })
    chats.push(body.id)
  }
  const urls = chats.map(
    (id) => `${url}/api/chat/send_message?org_id=${organizationId}&model_id=${modelId}&chat_id=${id}`,
  )
  const target = {
    url: urls[0] ?? '',
    urls,
    headers: { Authorization: `Bearer ${token}` },
    body: { content: PROMPT, parent_message_id: null },
    markers: { token: '"message":"', end: 'data: {"message":"DONE"}' },
    tokens: REPLY_TOKENS,
  }
  return { organizationId, userId, target }
}

interface Sample {
  p50: number
  p95: number
  p99: number
  /** Messages that the index took per second. */
  indexed: number
}

async function run(server: ChildProcess, target: Target): Promise<Sample> {
  const seconds = Number(flags.seconds)
  const shape = {
    connections: LOAD.connections,
    spreadSeconds: (REPLY_TOKENS * LOAD.gapMs) / 1000,
    warmUpSeconds: 1,
    seconds,
  }
  const before = await ask(server, { do: 'count' })
  const begun = performance.now()
  const load = await generateLoad(target, shape, () => undefined)
  const taken = before - (await ask(server, { do: 'count' }))
  for (const [kind, count] of Object.entries(load.errors)) console.error(`ERROR ${count} × ${kind}`)
  await sleep(SETTLE_MS)
  return { ...load.firstTokenMs, indexed: (taken * 1_000) / (performance.now() - begun) }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function print(database: string, { without, beside }: { without: Sample[]; beside: Sample[] }): void {
  console.log(`\n${database}: first token of ${flags.streams} streams, ms (median of ${flags.rounds} rounds)`)
  for (const at of ['p50', 'p95', 'p99'] as const) {
    const [alone, both] = [median(without.map((one) => one[at])), median(beside.map((one) => one[at]))]
    const pairs = beside.map((one, index) => one[at] / (without[index]?.[at] ?? Number.NaN))
    console.log(
      `${at}  without ${alone.toFixed(1)}  beside ${both.toFixed(1)}  ratio ${(both / alone).toFixed(2)}, of pairs ${median(pairs).toFixed(2)}`,
    )
  }
  console.log(`the index took ${median(beside.map(({ indexed }) => indexed)).toFixed(0)} messages per second`)
}

for (const database of flags.database.split(',')) await measure(database)
