import { expect } from 'vitest'
import type { Client, Person } from './client.ts'
import { signUpWithModel } from './models.ts'
import { type EmulatedProvider, startProvider } from './provider/index.ts'
import { idsOf, openMessage, type StreamReader } from './reader.ts'
import { createDatabase, startTestServer, type TestServer } from './server.ts'

/**
 * Two server processes on one PostgreSQL database, and an emulated provider. If PostgreSQL is missing, `other` is the
 * same process as `server`, on the embedded database.
 */
export interface Stage {
  server: TestServer
  other: TestServer
  provider: EmulatedProvider
  close(): Promise<void>
}

/** Starts the servers and the provider. New organizations have no starting credits. */
export async function openStage(): Promise<Stage> {
  const database = await createDatabase()
  const environment = {
    STARTING_CREDITS: '0',
    ...(database && { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }),
  }
  const provider = await startProvider()
  const server = await startTestServer(environment)
  const other = database ? await startTestServer(environment) : server
  return {
    server,
    other,
    provider,
    async close() {
      if (other !== server) await other.stop()
      await server.stop()
      await provider.close()
      await database?.drop()
    },
  }
}

/** Prices at which a reply is expected to cost one credit, whatever it says. */
const CHEAP = { input_ratio: 0.0001, output_ratio: 0.0001 }

/** Signs up a user with credits and a cheap model. With the default model, a reply continues until the test ends it. */
export async function personWith({ server, provider }: Stage, credits: number, version = 'emu-hang') {
  const { person, modelId } = await signUpWithModel(server, provider, version, CHEAP)
  await server.server.services.ledger.grant(person.organizationId, credits, 'test')
  return { person, modelId }
}

export const setDailyLimit = async (
  { server }: Stage,
  { organizationId }: Person,
  limit: number | null,
): Promise<void> => {
  await server.server.services.database.sql`
    update organizations set features = ${JSON.stringify({ daily_chat_limit: limit })}::text::jsonb
    where id = ${organizationId}`
}

export interface Sent {
  sender: Person
  stream: StreamReader
  /** The status and error code of a rejected message. Null if the message was accepted. */
  refusal: string | null
}

/** Sends one message per sender concurrently, each in a new chat. Alternates between the two servers. */
export const sendAll = ({ server, other }: Stage, modelId: string, senders: Person[]): Promise<Sent[]> =>
  Promise.all(
    senders.map(async (sender, index) => {
      const process = index % 2 ? server : other
      const stream = await openMessage(process.url, sender, { model_id: modelId }, { content: `${index}` })
      return { sender, stream, refusal: stream.status === 200 ? null : await refusalOf(stream) }
    }),
  )

async function refusalOf(stream: StreamReader): Promise<string> {
  const { code } = JSON.parse(await stream.text())
  if (stream.status === 429) {
    const midnight = new Date().setUTCHours(24, 0, 0, 0)
    const wait = Number(stream.headers.get('retry-after'))
    expect(Math.abs(midnight - Date.now() - wait * 1000)).toBeLessThan(60_000)
  }
  return `${stream.status} ${code}`
}

export const started = (sent: Sent[]): Sent[] => sent.filter(({ refusal }) => refusal === null)

/** Counts the rejected messages by status and error code. */
export const refusals = (sent: Sent[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(sent, ({ refusal }) => refusal)]
      .filter(([refusal]) => refusal !== null)
      .map(([refusal, group]) => [refusal, group.length]),
  )

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

/** Stops the started replies, which would not end on their own. */
export async function stopAll(client: Client, sent: Sent[]): Promise<void> {
  const streams = started(sent)
  for (const { sender, stream } of streams) {
    const query = `org_id=${sender.organizationId}&chat_id=${idsOf(stream).chatId}`
    const stopped = await client.call('POST', `/api/chat/stop?${query}`, { token: sender.token })
    expect(stopped.status).toBe(200)
  }
  await Promise.all(streams.map(({ stream }) => stream.take()))
}

export async function setBudget(
  client: Client,
  { token, organizationId }: Person,
  body: { user_id?: string; api_key_id?: string; credits_per_month: number },
) {
  const answer = await client.call('PUT', `/api/billing/budgets/set?org_id=${organizationId}`, {
    token,
    body,
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

/** Creates an API key. Returns its id and a Person that authenticates with it. */
export async function addKey(client: Client, person: Person): Promise<{ id: string; sender: Person }> {
  const answer = await client.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
    token: person.token,
    body: { name: 'key', permissions: ['chats:read', 'chats:write'] },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return { id: answer.body.id, sender: { ...person, token: answer.body.key } }
}
