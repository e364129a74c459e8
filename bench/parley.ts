import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../tests/support/free-port.ts'
import { type PostgresServer, startPostgres } from '../tests/support/postgres.ts'
import type { Load, Target } from './load.ts'
import { type Case, modelOf, type Peer, type PeerOptions, PROMPT, REPLY_TOKENS } from './peers/peer.ts'
import { type RunningProcess, startNode } from './processes.ts'

/** As `npm start` has it: a larger young generation would take 100 MB more, and no less processor time. */
export const NODE_OPTIONS = ['--max-semi-space-size=24', '--heap-growing-percent=75']
/** More than any case has connections. */
const CHATS = 256
const SETTLE_TIMEOUT_MS = 10_000
const SETTLE_POLL_MS = 50

/**
 * What the product's PostgreSQL runs with: Debian's defaults, so that every commit reaches the disk. (`jit` is off as
 * everywhere in the tests: no statement here is long enough for it to begin.)
 */
export const POSTGRES_SETTINGS = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', jit: 'off' }

/** Another than the one here as usual. */
export interface Variant {
  /** The project's folder. */
  directory?: string
  environment?: Record<string, string>
}

/** What `GET /api/billing/balance` answers. */
interface Balance {
  balance: number
  held: number
  available: number
}

/** The product as an operator starts it, on a PostgreSQL of its own, prepared through its API alone. */
export async function startParley(
  { providerUrl, folder }: PeerOptions,
  variant: Variant = {},
): Promise<Peer> {
  const postgres = await startDatabase(folder)
  const { server, url } = await startServer(postgres, folder, variant)
  const account = await signUp(url)
  const chatIds = await addChats(url, account.organizationId, account.token)
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
    const message = sendMessage(url, { ...account, token, chatIds }, modelId)
    const cost = costs.get(version) ?? (await costOfOne(message, readBalance))
    costs.set(version, cost)
    current = { cost, balance: (await settled(readBalance)).balance }
    return message
  }

  return {
    name: 'parley',
    pid: server.pid,
    databasePid: postgres.pid,
    target,
    check: async (load) => checkBalance(load, current, await settled(readBalance)),
    async stop() {
      await server.stop()
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

async function startServer(
  postgres: PostgresServer,
  folder: string,
  { directory = join(import.meta.dirname, '..'), environment }: Variant,
): Promise<{ server: RunningProcess; url: string }> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const server = startNode([...NODE_OPTIONS, 'server/cli.ts', 'start'], {
    directory,
    logFile: join(folder, 'parley.log'),
    environment: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: postgres.url('parley'),
      SECRET: randomBytes(32).toString('hex'),
      DATA_DIR: join(folder, 'parley'),
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: randomBytes(16).toString('hex'),
      STARTING_CREDITS: '1000000000000',
      ALLOW_PRIVATE_NETWORK: 'true',
      RATE_LIMIT_IP_PER_MINUTE: '0',
      RATE_LIMIT_USER_PER_HOUR: '0',
      LOG_LEVEL: 'info',
      ...environment,
    },
  })
  await server.ready(`${url}/readyz`)
  return { server, url }
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
  if (organizationId === undefined) throw new Error('a sign-up without an organization')
  return { email, password, organizationId, token: answer.access_token }
}

/** Access tokens live 15 minutes, less than all rounds together. */
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

/** Chats with a title: one for each connection, since a chat has one reply under way. */
async function addChats(url: string, organizationId: string, token: string): Promise<string[]> {
  const add = (): Promise<{ id: string }> =>
    call(url, 'POST', `/api/chat?org_id=${organizationId}`, token, { title: 'Bench' })
  return (await Promise.all(Array.from({ length: CHATS }, add))).map(({ id }) => id)
}

/**
 * A message that begins a branch of its own in such a chat: no history goes with it, and no title is written for it,
 * as no peer does either.
 */
const sendMessage = (
  url: string,
  { organizationId, token, chatIds }: Account & { chatIds: string[] },
  modelId: string,
): Target => ({
  url: `${url}/api/chat/send_message?org_id=${organizationId}&model_id=${modelId}&chat_id=${chatIds.at(-1)}`,
  urls: chatIds.map(
    (id) => `${url}/api/chat/send_message?org_id=${organizationId}&model_id=${modelId}&chat_id=${id}`,
  ),
  headers: { Authorization: `Bearer ${token}` },
  body: { content: PROMPT, parent_message_id: null },
  markers: { token: '"message":"', end: 'data: {"message":"DONE"}' },
  tokens: REPLY_TOKENS,
})

/** What one reply costs: all replies of a model to the same prompt cost the same. */
async function costOfOne(message: Target, readBalance: () => Promise<Balance>): Promise<number> {
  const before = await settled(readBalance)
  const response = await fetch(message.url, {
    method: 'POST',
    headers: { ...message.headers, 'content-type': 'application/json' },
    body: JSON.stringify(message.body),
  })
  const text = await response.text()
  if (!text.includes(message.markers.end)) throw new Error(`no whole reply: ${text.slice(-500)}`)
  return before.balance - (await settled(readBalance)).balance
}

/** The balance once nothing is held any more, or as it stands after the time that settling may take. */
async function settled(readBalance: () => Promise<Balance>): Promise<Balance> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS
  for (;;) {
    const balance = await readBalance()
    if (balance.held === 0 || Date.now() > deadline) return balance
    await sleep(SETTLE_POLL_MS)
  }
}

/** Every finished reply was paid once, and nothing else was. */
function checkBalance(
  load: Load<unknown>,
  { cost, balance }: { cost: number; balance: number },
  after: Balance,
): string[] {
  const paid = balance - after.balance
  const expected = cost * load.finishedStreams
  const problems: string[] = []
  if (cost < REPLY_TOKENS)
    problems.push(`one reply costs ${cost} credits, less than its ${REPLY_TOKENS} tokens`)
  if (after.held !== 0) problems.push(`${after.held} credits are held after the last reply`)
  if (paid !== expected) {
    problems.push(
      `${load.finishedStreams} replies at ${cost} credits make ${expected}, but ${paid} were paid`,
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
