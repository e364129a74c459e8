import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/main.ts'
import { createClient, type Person } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { startProvider } from '../tests/support/provider/index.ts'
import { NODE_OPTIONS, POSTGRES_SETTINGS } from './parley.ts'

/*
 * Measures the resources that disconnecting clients leave behind, on PostgreSQL:
 *
 *   node bench/leaving.ts
 *
 * Clients start a chat with a message and disconnect at the first token. By design, their replies continue and their
 * chats get titles. After that, no resources may remain in use. The server and the emulated provider run in processes
 * of their own. Memory is measured after a garbage collection.
 */

const ROUNDS = 10
const CLIENTS = 2_000
const AT_ONCE = 100
const PEOPLE = 4
const MODEL = 'emu-n20-gap10'
/** The slope is computed from this round on. Before it, code is still compiled and pools are filled. */
const FIRST_OF_SLOPE = 3
const SETTLE_POLL_MS = 100
/** The server is idle after this time without activity: replies have ended and titles are written. */
const SETTLED_MS = 2_000
const SETTLE_TIMEOUT_MS = 120_000

/** Messages to the child processes, and their answers. */
interface Answers {
  address: string
  /** For the server. */
  left: { sockets: number; repliesOpen: number; residentBytes: number; heapBytes: number }
  /** For the provider: open streams, all streams so far, and aborted ones. */
  streams: { open: number; begun: number; aborted: number }
  stop: null
}
type Question = keyof Answers

interface Client {
  person: Person
  modelId: string
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir)
  const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
  await postgres.createDatabase('parley')
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, DATABASE_URL: postgres.url('parley') }
  const server = fork(import.meta.filename, ['server'], { env, execArgv: [...NODE_OPTIONS, '--expose-gc'] })
  const provider = fork(import.meta.filename, ['provider'], { env })
  try {
    await measureRounds(server, provider)
    await Promise.all([server, provider].map((child) => ask(child, 'stop')))
  } finally {
    for (const child of [server, provider]) child.kill('SIGKILL')
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureRounds(server: ChildProcess, provider: ChildProcess): Promise<void> {
  const url = await ask(server, 'address')
  const clients = await prepare(url, await ask(provider, 'address'))
  console.log(
    `Each round: ${CLIENTS} clients, ${AT_ONCE} concurrently, disconnect at the first of 20 tokens\n`,
  )
  console.log('round   streams open  aborted  replies open  sockets  resident MB  heap MB')
  const rounds: Answers['left'][] = []
  for (let round = 1; round <= ROUNDS; round++) {
    await leaveAll(url, clients)
    await settled(provider)
    const left = await ask(server, 'left')
    const { open, aborted } = await ask(provider, 'streams')
    rounds.push(left)
    const megabytes = [left.residentBytes, left.heapBytes].map((bytes) => (bytes / 2 ** 20).toFixed(2))
    const cells = [round, open, aborted, left.repliesOpen, left.sockets, ...megabytes]
    console.log(cells.map((cell, index) => String(cell).padStart(WIDTHS[index] ?? 0)).join(''))
  }
  const slope = (name: 'residentBytes' | 'heapBytes'): string => {
    const values = rounds.slice(FIRST_OF_SLOPE - 1).map((left) => left[name])
    return `${(slopeOf(values) / 1024 / (CLIENTS / 1_000)).toFixed(1)} KB per 1,000 replies`
  }
  console.log(
    `\nSlope of rounds ${FIRST_OF_SLOPE} to ${ROUNDS}: heap ${slope('heapBytes')}, resident ${slope('residentBytes')}`,
  )
}

const WIDTHS = [5, 15, 9, 14, 9, 13, 9]

async function prepare(url: string, providerUrl: string): Promise<Client[]> {
  const client = createClient(url)
  const clients: Client[] = []
  while (clients.length < PEOPLE) {
    const person = await client.signUp()
    const config = { base_url: `${providerUrl}/v1` }
    const modelId = await client.addModel(person, { provider: 'openai-compatible', version: MODEL, config })
    clients.push({ person, modelId })
  }
  return clients
}

async function leaveAll(url: string, clients: Client[]): Promise<void> {
  let begun = 0
  const one = async (): Promise<void> => {
    while (begun < CLIENTS) await leave(url, clients[begun++ % clients.length] as Client)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

/** Sends a message on its own connection and closes it at the first token. */
function leave(url: string, { person, modelId }: Client): Promise<void> {
  const query = `org_id=${person.organizationId}&model_id=${modelId}`
  const sent = request(`${url}/api/chat/send_message?${query}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify({ content: 'What does the fox say?' }))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  sent.on('error', reject)
  sent.on('response', (response) => {
    if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
    response.on('error', () => {})
    response.once('data', () => {
      sent.destroy()
      resolve()
    })
  })
  return promise
}

/** Waits until the provider has been idle for a while, or until a timeout. */
async function settled(provider: ChildProcess): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS
  let last = await ask(provider, 'streams')
  let since = Date.now()
  while (Date.now() - since < SETTLED_MS && Date.now() < deadline) {
    await sleep(SETTLE_POLL_MS)
    const now = await ask(provider, 'streams')
    if (now.open > 0 || now.begun !== last.begun) since = Date.now()
    last = now
  }
}

/** Returns the average growth per value, by least squares. */
function slopeOf(values: number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const [above, below] = values.reduce(
    ([up, down], value, index) => [up + (index - middle) * (value - mean), down + (index - middle) ** 2],
    [0, 0],
  )
  return above / below
}

async function ask<Q extends Question>(child: ChildProcess, question: Q): Promise<Answers[Q]> {
  child.send(question)
  const [answer] = await once(child, 'message')
  return answer
}

function answerWith(answers: { [Q in Question]?: () => Promise<Answers[Q]> }): void {
  process.on('message', async (question: Question) => process.send?.(await answers[question]?.()))
}

async function serve(): Promise<void> {
  const server = await startServer(
    readConfig({
      ...process.env,
      PORT: '0',
      SECRET: 's'.repeat(32),
      LOG_LEVEL: 'warn',
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
      STARTING_CREDITS: '1000000000',
      RATE_LIMIT_IP_PER_MINUTE: '0',
      RATE_LIMIT_USER_PER_HOUR: '0',
    }),
  )
  answerWith({
    address: async () => server.address,
    async left() {
      for (let count = 0; count < 3; count++) {
        globalThis.gc?.()
        await sleep(SETTLE_POLL_MS)
      }
      const { rss, heapUsed } = process.memoryUsage()
      const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
      const open = await server.services.metrics.repliesOpen.get()
      return { sockets, repliesOpen: open.values[0]?.value ?? 0, residentBytes: rss, heapBytes: heapUsed }
    },
    async stop() {
      await server.stop()
      return null
    },
  })
}

async function provide(): Promise<void> {
  const provider = await startProvider({ record: false })
  answerWith({
    address: async () => provider.url,
    streams: async () => ({
      open: provider.stats.open,
      begun: provider.stats.streams,
      aborted: provider.stats.aborted,
    }),
    async stop() {
      await provider.close()
      return null
    },
  })
}

if (process.argv[2] === 'server') await serve()
else if (process.argv[2] === 'provider') await provide()
else await measure()
