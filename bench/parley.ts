import { randomBytes } from 'node:crypto'
import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../tests/support/free-port.ts'
import { type PostgresServer, startPostgres } from '../tests/support/postgres.ts'
import type { Load, Target } from './load.ts'
import { type Case, modelOf, type Peer, type PeerOptions, PROMPT, REPLY_TOKENS } from './peers/peer.ts'
import { type RunningProcess, startNode } from './processes.ts'

/** The flags of server/launch.cjs that concern JavaScript, for servers that a benchmark runs in a script of its own. */
export const NODE_OPTIONS = ['--max-semi-space-size=24', '--heap-growing-percent=75']
/** Default number of chats. Larger than the number of connections in any case of `npm run bench`. */
const CHATS = 256
/** The same for all servers of a run, because they share a database. */
const SECRET = randomBytes(32).toString('hex')
const ADMIN_PASSWORD = randomBytes(16).toString('hex')
const SETTLE_TIMEOUT_MS = 10_000
const SETTLE_POLL_MS = 50

/**
 * Parley's PostgreSQL runs with Debian's defaults, so every commit reaches the disk. `jit` is off, as in the tests: no
 * statement is long enough to trigger it.
 */
export const POSTGRES_SETTINGS = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', jit: 'off' }

/** Replaces parts of the default setup. */
export interface Variant {
  /** The folder of another checkout. */
  directory?: string
  environment?: Record<string, string>
  /** Number of servers on the same database. The connections are distributed evenly. The default is 1. */
  servers?: number
  /** Number of chats, at least that of the connections. The default is 256. */
  chats?: number
  /** Arguments of `parley start`. */
  args?: string[]
}

/** The answer of `GET /api/billing/balance`. */
interface Balance {
  balance: number
  held: number
  available: number
}

/** Parley as a peer, with the addresses that a benchmark needs for requests of its own. */
export interface ParleyPeer extends Peer {
  url: string
  databaseUrl: string
  databasePid: number
}

/** Starts Parley as an operator would, on its own PostgreSQL. Prepares it only through the API. */
export async function startParley(
  { providerUrl, folder }: PeerOptions,
  variant: Variant = {},
): Promise<ParleyPeer> {
  const postgres = await startDatabase(folder)
  const servers: StartedServer[] = []
  for (let index = 0; index < (variant.servers ?? 1); index++)
    servers.push(await startServer(postgres, folder, variant))
  const urls = servers.map((one) => one.url)
  const [url = ''] = urls
  const account = await signUp(url)
  const chatIds = await addChats(url, account.organizationId, account.token, variant.chats ?? CHATS)
  const models = new Map<string, string>()
  const costs = new Map<string, number>()
  let token = account.token
  let current = { cost: 0, balance: 0 }

  const readBalance = (): Promise<Balance> =>
    call(url, 'GET', `/api/billing/balance?org_id=${account.organizationId}`, token)

  const target = async (now: Case): Promise<Target> => {
    token = await logIn(url, account)
    const version = modelOf(now)
    const modelId =
      models.get(version) ?? (await addModel(url, account.organizationId, token, version, providerUrl))
    models.set(version, modelId)
    const message = sendMessage(urls, { ...account, token, chatIds }, modelId)
    const cost = costs.get(version) ?? (await costOfOne(message, readBalance))
    costs.set(version, cost)
    current = { cost, balance: (await settled(readBalance)).balance }
    return message
  }

  return {
    name: 'parley',
    pids: servers.map(({ server }) => server.pid),
    databasePid: postgres.pid,
    databaseUrl: postgres.url('parley'),
    url,
    target,
    check: async (load) => checkBalance(load, current, await settled(readBalance)),
    async stop() {
      for (const { server } of servers) await server.stop()
      await postgres.stop()
    },
  }
}

async function startDatabase(folder: string): Promise<PostgresServer> {
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir, { recursive: true })
  const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
  await postgres.createDatabase('parley')
  return postgres
}

interface StartedServer {
  server: RunningProcess
  url: string
}

async function startServer(
  postgres: PostgresServer,
  folder: string,
  { directory = join(import.meta.dirname, '..'), environment, args = [] }: Variant,
): Promise<StartedServer> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const dataDir = join(folder, 'parley')
  const server = startNode(['server/launch.cjs', 'start', ...args], {
    directory,
    logFile: join(folder, 'parley.log'),
    environment: {
      PORT: String(port),
      HOST: '127.0.0.1',
      // Tokens are valid at all servers with this address.
      BASE_URL: 'http://parley.example.com',
      DATABASE_URL: postgres.url('parley'),
      SECRET,
      DATA_DIR: dataDir,
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD,
      STARTING_CREDITS: '1000000000000',
      ALLOW_PRIVATE_NETWORK: 'true',
      RATE_LIMIT_IP_PER_MINUTE: '0',
      RATE_LIMIT_USER_PER_HOUR: '0',
      LOG_LEVEL: 'info',
      ...environment,
    },
  })
  await server.ready(`${url}/readyz`)
  await afterStart(dataDir)
  return { server, url }
}

/** Waits for the last work after a start, the creation of Python's snapshot, so that it is not measured. */
export async function afterStart(dataDir: string): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS * 18
  while (globSync('sandbox/*.sha256', { cwd: dataDir }).length === 0) {
    if (Date.now() > deadline) throw new Error('The server did not prepare its sandbox')
    await sleep(SETTLE_POLL_MS)
  }
}

interface Account {
  email: string
  password: string
  organizationId: string
  token: string
}

async function signUp(url: string): Promise<Account> {
  const email = 'bench@example.com'
  const password = randomBytes(16).toString('hex')
  const names = { first_name: 'Ada', last_name: 'Lovelace' }
  const answer = await call<{ user: { organizations: { id: string }[] }; access_token: string }>(
    url,
    'POST',
    '/api/auth/signup',
    undefined,
    { email, password, ...names },
  )
  const organizationId = answer.user.organizations[0]?.id
  if (organizationId === undefined) throw new Error('The sign-up returned no organization')
  return { email, password, organizationId, token: answer.access_token }
}

/** Returns a new access token. Tokens expire after 15 minutes, before the whole run ends. */
async function logIn(url: string, { email, password }: Account): Promise<string> {
  const body = { email, password }
  const answer = await call<{ access_token: string }>(url, 'POST', '/api/auth/login', undefined, body)
  return answer.access_token
}

async function addModel(
  url: string,
  organizationId: string,
  token: string,
  version: string,
  providerUrl: string,
): Promise<string> {
  const config = { base_url: `${providerUrl}/v1`, api_key: 'k' }
  const model = { name: version, provider: 'openai-compatible', version, config }
  const path = `/api/llm/add?org_id=${organizationId}`
  return (await call<{ id: string }>(url, 'POST', path, token, model)).id
}

/** Adds chats with a title: one per connection, because a chat has at most one reply in progress. */
async function addChats(
  url: string,
  organizationId: string,
  token: string,
  count: number,
): Promise<string[]> {
  const add = (): Promise<{ id: string }> =>
    call(url, 'POST', `/api/chat?org_id=${organizationId}`, token, { title: 'Bench' })
  return (await Promise.all(Array.from({ length: count }, add))).map(({ id }) => id)
}

/**
 * Returns the request for a message that starts a new branch of its chat. As with the peers, the model therefore
 * receives no history, and no title is generated.
 */
const sendMessage = (
  urls: string[],
  { organizationId, token, chatIds }: Account & { chatIds: string[] },
  modelId: string,
): Target => ({
  url: `${urls[0]}/api/chat/send_message?org_id=${organizationId}&model_id=${modelId}&chat_id=${chatIds.at(-1)}`,
  urls: chatIds.map(
    (id, index) =>
      `${urls[index % urls.length]}/api/chat/send_message?org_id=${organizationId}&model_id=${modelId}&chat_id=${id}`,
  ),
  headers: { Authorization: `Bearer ${token}` },
  body: { content: PROMPT, parent_message_id: null },
  markers: { token: '"message":"', end: 'data: {"message":"DONE"}' },
  tokens: REPLY_TOKENS,
})

/** Returns the price of one reply. All replies of a model to the same prompt cost the same. */
async function costOfOne(message: Target, readBalance: () => Promise<Balance>): Promise<number> {
  const before = await settled(readBalance)
  const response = await fetch(message.url, {
    method: 'POST',
    headers: { ...message.headers, 'content-type': 'application/json' },
    body: JSON.stringify(message.body),
  })
  const text = await response.text()
  if (!text.includes(message.markers.end)) throw new Error(`incomplete reply: ${text.slice(-500)}`)
  return before.balance - (await settled(readBalance)).balance
}

/** Returns the balance once no hold is open, or after a timeout. */
async function settled(readBalance: () => Promise<Balance>): Promise<Balance> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS
  for (;;) {
    const balance = await readBalance()
    if (balance.held === 0 || Date.now() > deadline) return balance
    await sleep(SETTLE_POLL_MS)
  }
}

/** Checks that every finished reply was charged once, and nothing else was. */
function checkBalance(
  load: Load<unknown>,
  { cost, balance }: { cost: number; balance: number },
  after: Balance,
): string[] {
  const paid = balance - after.balance
  const expected = cost * load.finishedStreams
  const problems: string[] = []
  if (cost < REPLY_TOKENS)
    problems.push(`one reply costs ${cost} credits, fewer than its ${REPLY_TOKENS} tokens`)
  if (after.held !== 0) problems.push(`${after.held} credits are still held after the last reply`)
  if (paid !== expected) {
    problems.push(
      `${load.finishedStreams} replies at ${cost} credits cost ${expected}, but ${paid} were charged`,
    )
  }
  return problems
}

async function call<Answer>(
  url: string,
  method: string,
  path: string,
  token?: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Answer
}
