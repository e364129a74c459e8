import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { expect } from 'vitest'
import { addKey, setBudget } from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import type { EmulatedProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { idsOf, openMessage, type StreamReader } from '#tests/support/reader.ts'

/*
 * Kills (kill -9) a server with several replies in progress, at a moment that the seed selects, and starts another
 * one. Afterwards no acknowledged message is lost, every hold is closed exactly once, and the counters of budgets,
 * days and usage match the ledger. On PostgreSQL, the tables are checked as well.
 */

const MESSAGES = 8
const TOKENS = 40
const KILL_WITHIN_MS = 900

interface Sent {
  person: Person
  content: string
  stream: StreamReader | undefined
  /** The text of the reply that the client has received. */
  seen(): string
  sawEnd(): boolean
}

export interface Battlefield {
  environment: Record<string, string>
  provider: EmulatedProvider
  /** The server that survived the last round. The next round kills it. */
  server?: ServerProcess
  /** The URL of the database, if other processes can connect to it. */
  databaseUrl?: string
  /** Expires the lease of a killed process, which would otherwise take fifteen seconds. */
  passTime(): Promise<void>
}

/** Returns a battlefield on the PostgreSQL at `url`. */
export function onPostgres(url: string, provider: EmulatedProvider, dataDir: string): Battlefield {
  return {
    provider,
    databaseUrl: url,
    environment: { ...COMMON, DATA_DIR: dataDir, DATABASE_URL: url, SECRET: 's'.repeat(32) },
    async passTime() {
      const sql = postgres(url, { max: 1 })
      await sql`update server_instances set lease_until = now() - interval '1 second'`
      await sql.end()
    },
  }
}

/**
 * Returns a battlefield on the embedded database, where a new process recovers at startup, without waiting for a
 * lease.
 */
export const onEmbedded = (provider: EmulatedProvider, dataDir: string): Battlefield => ({
  provider,
  environment: { ...COMMON, DATA_DIR: dataDir },
  passTime: async () => {},
})

const COMMON = {
  BASE_URL: 'http://parley.test',
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  LOG_LEVEL: 'error',
  ADMIN_PASSWORD: 'administrator',
}

export async function killAndCheck(field: Battlefield, seed: number): Promise<void> {
  const random = createRandom(seed)
  const doomed = field.server ?? (await startProcess(field.environment))
  const person = await doomed.signUp()
  const modelId = await doomed.addModel(person, {
    provider: 'openai-compatible',
    version: `emu-n${TOKENS}-gap${5 + Math.floor(random() * 20)}`,
    config: { base_url: `${field.provider.url}/v1` },
  })
  const key = await addKey(doomed, person)
  await setBudget(doomed, person, { user_id: person.userId, credits_per_month: 1e6 })
  await setBudget(doomed, person, { api_key_id: key.id, credits_per_month: 1e6 })
  const sending = Array.from({ length: MESSAGES }, (_, index) =>
    send(doomed, index % 2 ? person : key.sender, modelId, `message ${index}`, random() * KILL_WITHIN_MS),
  )
  await sleep(random() * KILL_WITHIN_MS)
  await doomed.kill()
  const sent = await Promise.all(sending)
  await field.passTime()

  const heir = await startProcess(field.environment)
  field.server = heir
  for (const message of sent) await checkMessage(heir, message)
  await checkLedger(heir, person, sent.filter(({ stream }) => stream?.status === 200).length)
  await checkBudgets(heir, person, key.id)
  if (field.databaseUrl !== undefined) await checkTables(field.databaseUrl, person)
}

async function send(
  server: ServerProcess,
  person: Person,
  modelId: string,
  content: string,
  delayMs: number,
): Promise<Sent> {
  await sleep(delayMs)
  const stream = await openMessage(server.url, person, { model_id: modelId }, { content }).catch(
    () => undefined,
  )
  await stream?.take().catch(() => undefined)
  const messages = () => (stream?.events ?? []).map(({ data }) => data['message'] as string | undefined)
  return {
    person,
    content,
    stream,
    seen: () =>
      messages()
        .filter((message) => message !== 'DONE')
        .join(''),
    sawEnd: () => messages().at(-1) === 'DONE',
  }
}

/** Expects that an acknowledged message is stored, with the remaining part of its reply. */
async function checkMessage(server: ServerProcess, sent: Sent): Promise<void> {
  if (sent.stream?.status !== 200) return
  const { chatId, messageId } = idsOf(sent.stream)
  const query = `org_id=${sent.person.organizationId}&chat_id=${chatId}`
  const { body } = await server.call('GET', `/api/chat?${query}`, { token: sent.person.token })
  const [question, reply] = body.messages
  expect(question).toMatchObject({ role: 'user', content: sent.content, status: 'complete' })
  expect(reply.id).toBe(messageId)
  if (sent.sawEnd()) expect(reply).toMatchObject({ status: 'complete', content: sent.seen() })
  else expect(['complete', 'error']).toContain(reply.status)
  const [shorter, longer] = [reply.content, sent.seen()].sort((a, b) => a.length - b.length)
  expect(longer.startsWith(shorter)).toBe(true)
}

/** Expects that every hold is closed once, no credits are held, and the balance equals the sum of the ledger. */
async function checkLedger(server: ServerProcess, person: Person, acknowledged: number): Promise<void> {
  const organization = `org_id=${person.organizationId}`
  const ledger = await server.call('GET', `/api/billing/ledger?${organization}&limit=100`, {
    token: person.token,
  })
  const entries = ledger.body.data as { id: string; kind: string; amount: number; hold_id: string | null }[]
  const holds = entries.filter(({ kind }) => kind === 'HOLD').map(({ id }) => id)
  const closed = entries.filter(({ hold_id }) => hold_id !== null).map(({ hold_id }) => hold_id)
  expect(closed.sort()).toEqual(holds.sort())
  expect(holds.length).toBeGreaterThanOrEqual(acknowledged)
  const sum = entries.reduce((total, { amount }) => total + amount, 0)
  const balance = await server.call('GET', `/api/billing/balance?${organization}`, { token: person.token })
  expect(balance.body).toMatchObject({ balance: sum, held: 0, available: sum })
}

/** Expects that both budgets hold nothing, and that their spending equals the debits in the ledger. */
async function checkBudgets(server: ServerProcess, person: Person, apiKeyId: string): Promise<void> {
  const read = async (path: string) => {
    const { body } = await server.call('GET', `${path}org_id=${person.organizationId}&limit=100`, {
      token: person.token,
    })
    return body.data
  }
  const debits: { amount: number; api_key_id: string | null }[] = await read(
    '/api/billing/ledger?kind=DEBIT&',
  )
  const sum = (of: typeof debits) => of.reduce((total, { amount }) => total - amount, 0)
  const [ofKey, ofMember] = await read('/api/billing/budgets/list?')
  expect(ofMember).toMatchObject({ held: 0, spent: sum(debits) })
  expect(ofKey).toMatchObject({
    held: 0,
    spent: sum(debits.filter(({ api_key_id }) => api_key_id === apiKeyId)),
  })
}

async function checkTables(url: string, { organizationId }: Person): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await expectSoundLedger(sql, organizationId).finally(() => sql.end())
}
