import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { agentKeeper } from '../tests/support/agents.ts'
import { titledChat } from '../tests/support/chats.ts'
import { type Client, createClient, type Person } from '../tests/support/client.ts'
import { librarian, textSource } from '../tests/support/knowledge.ts'
import { toolsmith } from '../tests/support/toolsmith.ts'
import { generateLoad, type Target } from './load.ts'
import { type ParleyPeer, startParley } from './parley.ts'
import { REPLY_TOKENS } from './peers/peer.ts'
import { readProcessTrees } from './processes.ts'
import { startProvider } from './start-provider.ts'

/*
 * Prints what a million messages cost: CPU-hours of the server and of PostgreSQL, bytes of PostgreSQL's write-ahead log
 * (WAL), rows and stored bytes. One row per kind of message, so that the table shows what history, tools and citations
 * add:
 *
 *   node bench/bill.ts --seconds 10
 */

const { values: flags } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })

const CONNECTIONS = 20
const HISTORY_TURNS = 20
const WARM_UP_SECONDS = 1
/** Time for work after a reply: the index of words, and PostgreSQL's statistics. */
const SETTLE_MS = 3_000
const MESSAGES = 1e6

/** A message whose cost is measured: the query and the content. `parent` chooses the message that it follows in a chat. */
interface Message {
  query: Record<string, string>
  content: string
  parent?: (chatId: string) => Promise<string>
}

interface Spent {
  serverSeconds: number
  databaseSeconds: number
  walBytes: number
  rows: number
  storedBytes: number
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const provider = await startProvider(folder)
  const peer = await startParley({ providerUrl: provider.url, folder })
  const sql = postgres(peer.databaseUrl, { max: 1 })
  const client = createClient(peer.url)
  const person = await client.signUp()
  const messages = await prepare(client, person, provider.url)
  console.log(
    '| A million messages | Server, CPU-h | PostgreSQL, CPU-h | WAL, GB | Rows written, millions | Stored, GB |',
  )
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const [name, message] of Object.entries(messages)) {
    const target = await targetOf(client, person, message)
    const spent = await costOf(peer, sql, target)
    const cells = [
      spent.serverSeconds / 3600,
      spent.databaseSeconds / 3600,
      spent.walBytes / 1e9,
      spent.rows / 1e6,
      spent.storedBytes / 1e9,
    ].map((each) => (each * MESSAGES).toFixed(2))
    console.log(`| ${[name, ...cells].join(' | ')} |`)
  }
  await sql.end()
  await peer.stop()
  await provider.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function prepare(
  client: Client,
  person: Person,
  providerUrl: string,
): Promise<Record<string, Message>> {
  const { make } = await agentKeeper(client, person)
  const modelId = await client.addModel(person, {
    provider: 'openai-compatible',
    version: `emu-n${REPLY_TOKENS}`,
    config: { base_url: `${providerUrl}/v1`, api_key: 'k', capabilities: ['text', 'tools'] },
  })
  const library = librarian(client, person)
  const kbId = await library.create({
    sources: [textSource('Tides', 'High tide is at noon.'), textSource('Gulls', 'Gulls nest in May.')],
  })
  await library.settle(kbId)
  const toolId = await toolsmith(client, person).make()
  const agents = {
    plain: await make({ model_id: modelId }),
    tool: await make({ model_id: modelId, tools: [{ tool_id: toolId }] }),
    knowledge: await make({ model_id: modelId, knowledge_base_ids: [kbId] }),
  }
  const content = 'Tell me about the sea.'
  const grown = async (chatId: string): Promise<string> => {
    let messageId = ''
    for (let turn = 0; turn < HISTORY_TURNS; turn++)
      ({ messageId } = await client.say(person, { model_id: modelId, chat_id: chatId }, { content }))
    return messageId
  }
  return {
    'Without history': { query: { model_id: modelId }, content },
    [`After ${HISTORY_TURNS} messages and replies`]: { query: { model_id: modelId }, content, parent: grown },
    'To an agent': { query: { agent_id: agents.plain }, content },
    'To an agent that calls a JavaScript tool': {
      query: { agent_id: agents.tool },
      content: 'TOOL:main={"text":"tide"} THEN say: Here it is.',
    },
    'To an agent with a knowledge base, which cites it': {
      query: { agent_id: agents.knowledge },
      content: 'When is high tide?',
    },
  }
}

/** Returns the request of a message for CONNECTIONS chats. Each repetition of a request starts a new branch of its chat. */
async function targetOf(
  client: Client,
  person: Person,
  { query, content, parent }: Message,
): Promise<Target> {
  const urls: string[] = []
  const bodies: object[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const chatId = await titledChat(client, person)
    const parameters = new URLSearchParams({ org_id: person.organizationId, ...query, chat_id: chatId })
    urls.push(`${client.url}/api/chat/send_message?${parameters}`)
    bodies.push({ content, parent_message_id: (await parent?.(chatId)) ?? null })
  }
  const [url = ''] = urls
  const markers = { token: '"message":"', end: 'data: {"message":"DONE"}' }
  const { text } = await client.call('POST', url.slice(client.url.length), {
    token: person.token,
    body: bodies[0],
  })
  if (!text.includes(markers.end)) throw new Error(`incomplete reply: ${text.slice(-500)}`)
  const tokens = text.split(markers.token).length - 2
  const headers = { Authorization: `Bearer ${person.token}` }
  return { url, urls, bodies, headers, body: bodies[0], markers, tokens }
}

/** Returns what one message costs, including the work after its reply. */
async function costOf(peer: ParleyPeer, sql: postgres.Sql, target: Target): Promise<Spent> {
  // After a checkpoint, the first change of each page writes the whole page to the WAL.
  await sql`checkpoint`
  const before = await readSpent(peer, sql)
  const shape = {
    connections: CONNECTIONS,
    spreadSeconds: 0,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: Number(flags.seconds),
  }
  const { finishedStreams, errors } = await generateLoad(target, shape, () => null)
  if (Object.keys(errors).length > 0) throw new Error(JSON.stringify(errors))
  await sleep(SETTLE_MS)
  const after = await readSpent(peer, sql)
  const names = Object.keys(after) as (keyof Spent)[]
  return Object.fromEntries(
    names.map((name) => [name, (after[name] - before[name]) / finishedStreams]),
  ) as unknown as Spent
}

async function readSpent({ pids, databasePid }: ParleyPeer, sql: postgres.Sql): Promise<Spent> {
  const [row] = await sql<{ wal: string; rows: string; stored: string }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
      tup_inserted + tup_updated + tup_deleted as rows, pg_database_size(current_database()) as stored
    from pg_stat_database where datname = current_database()`
  return {
    serverSeconds: readProcessTrees(pids).cpuSeconds,
    databaseSeconds: readProcessTrees([databasePid]).cpuSeconds,
    walBytes: Number(row?.wal),
    rows: Number(row?.rows),
    storedBytes: Number(row?.stored),
  }
}

await main()
