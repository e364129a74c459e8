import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/main.ts'
import { ownerMark } from '../server/parts/chat/words.ts'
import { createClient, type Person } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { POSTGRES_SETTINGS } from './parley.ts'

/*
 * Measures reading as a history grows, on PostgreSQL:
 *
 * node bench/history.ts
 *
 * Measures a user's lists, a page of messages and searches: first for a user with 100 messages in an otherwise empty
 * database; then for that user and one with 1,000,000 messages, alternating. Prints the p50 of each, and the ratio of
 * the large user's to the small user's. Before that, measures the first page of a chat of 36 MB.
 */

const SMALL = 100
const LARGE = 1_000_000
const MESSAGES_PER_CHAT = 4
const ROUNDS = 60
const WARM_UP = 10
const HOUR_MS = 3_600_000
const OPENINGS = 15

interface History {
  person: Person
  chatId: string
  messages: number
}

/** Fills the tables with SQL, including the search index that the sweep would build. */
async function fill(messages: number): Promise<History> {
  const person = await client.signUp()
  const { organizationId, userId } = person
  const mark = ownerMark(person)
  const begin = Date.now() - HOUR_MS - messages
  const chatCount = Math.ceil(messages / MESSAGES_PER_CHAT)
  await sql.begin(async (tx) => {
    // The generated rows satisfy the foreign keys. Checking a million of them is not part of the measurement.
    await tx`set local session_replication_role = replica`
    const index = await tx<{ indexdef: string }[]>`
      select indexdef from pg_indexes where indexname = 'chat_words_words'`
    await tx`drop index chat_words_words`
    const id = (kind: string, n: string) =>
      tx.unsafe(
        `(lpad(to_hex(${begin} + ${n}), 12, '0') || '7000${kind}' || lpad(to_hex(${n}), 12, '0'))::uuid`,
      )
    const chatId = id('8000', `(n / ${MESSAGES_PER_CHAT}) * ${MESSAGES_PER_CHAT}`)
    await tx`
      insert into chats (id, organization_id, user_id, title, status, pinned, folder, leaf_message_id)
      select ${chatId}, ${organizationId}, ${userId}, 'Chat ' || n,
        case when n = ${MESSAGES_PER_CHAT} then 'ARCHIVED' else 'ACTIVE' end, n = 0, case n when 0 then 'Bees' end,
        ${id('9000', `(n + ${MESSAGES_PER_CHAT - 1})`)}
      from (select m * ${MESSAGES_PER_CHAT}::bigint as n from generate_series(0, ${chatCount - 1}) m)`
    await tx`
      insert into chat_messages (id, organization_id, user_id, chat_id, parent_message_id, role, content, status)
      select ${id('9000', 'n')}, ${organizationId}, ${userId}, ${chatId},
        case when n % ${MESSAGES_PER_CHAT} > 0 then ${id('9000', '(n - 1)')} end,
        case when n % 2 = 0 then 'user' else 'assistant' end,
        'message ' || n || ' about topic' || n % 1000 || repeat(' and so on', 15), 'complete'
      from generate_series(0, ${messages - 1}::bigint) n`
    await tx`
      insert into chat_words (id, organization_id, user_id, chat_id, title, words)
      select id, organization_id, user_id, id, title,
        (${`'${mark}chat':1 '${mark}`} || substr(title, 6) || ''':2')::tsvector
      from chats where user_id = ${userId}
      union all
      select id, organization_id, user_id, chat_id, null,
        (${`'${mark}message':1 '${mark}about':3 '${mark}and':5,8 '${mark}so':6,9 '${mark}on':7,10 '${mark}`}
          || split_part(content, ' ', 2) || ${`':2 '${mark}`} || split_part(content, ' ', 4) || ''':4')::tsvector
      from chat_messages where user_id = ${userId}`
    await tx.unsafe(index[0]?.indexdef ?? '')
  })
  await sql`vacuum analyze`
  const [chat] = await sql<{ id: string }[]>`
    select id from chats where user_id = ${userId} order by id offset ${Math.floor(chatCount / 2)} limit 1`
  return { person, chatId: chat?.id ?? '', messages }
}

/** The requests to measure. */
const READINGS: Record<string, (history: History) => string> = {
  'GET /api/chat/list': () => '/api/chat/list?',
  '  status=ARCHIVED': () => '/api/chat/list?status=ARCHIVED&',
  '  folder=Bees': () => '/api/chat/list?folder=Bees&',
  '  pinned=true': () => '/api/chat/list?pinned=true&',
  'GET /api/chat': ({ chatId }) => `/api/chat?chat_id=${chatId}&`,
  '  branches=all': ({ chatId }) => `/api/chat?chat_id=${chatId}&branches=all&`,
  'GET /api/chat/search, all match': () => '/api/chat/search?q=message&',
  '  1 in 1,000 matches': () => '/api/chat/search?q=%22topic77%22&',
  '  one match': () => '/api/chat/search?q=%22message+77%22&',
  '  no match': () => '/api/chat/search?q=absent&',
}

/**
 * Returns the p50 of each request for each history. Alternates between histories, so that other load on the machine
 * affects all equally.
 */
async function measure(histories: History[]): Promise<Record<string, number>[]> {
  const names = Object.keys(READINGS)
  const times = histories.map(() => new Map(names.map((name) => [name, [] as number[]])))
  for (let round = 0; round < ROUNDS + WARM_UP; round++)
    for (const [name, pathOf] of Object.entries(READINGS))
      for (const [index, history] of histories.entries()) {
        const time = await timed(history.person, pathOf(history))
        if (round >= WARM_UP) times[index]?.get(name)?.push(time)
      }
  return times.map((one) => Object.fromEntries([...one].map(([name, all]) => [name, median(all)])))
}

async function timed({ token, organizationId }: Person, path: string): Promise<number> {
  const begin = performance.now()
  const { status, text } = await client.call('GET', `${path}org_id=${organizationId}`, { token })
  if (status !== 200) throw new Error(text)
  return performance.now() - begin
}

const median = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

async function measureOpening(count: number, bytes: number): Promise<void> {
  const person = await client.signUp()
  const { body: chat } = await client.call('POST', `/api/chat?org_id=${person.organizationId}`, {
    token: person.token,
    body: {},
  })
  await sql.begin(async (tx) => {
    const id = (n: string) =>
      tx.unsafe(
        `('01900000-0000-7000-${String(count % 10_000).padStart(4, '0')}-' || lpad((${n})::text, 12, '0'))::uuid`,
      )
    await tx`
      insert into chat_messages (id, organization_id, user_id, chat_id, parent_message_id, role, content, status)
      select ${id('n')}, ${person.organizationId}, ${person.userId}, ${chat.id}, case when n > 1 then ${id('n - 1')} end,
        'user', (select string_agg(md5(n::text || k), '') from generate_series(1, ${bytes / 32}) k), 'complete'
      from generate_series(1, ${count}::int) n`
    await tx`
      insert into chat_words (id, organization_id, user_id, chat_id, words)
      select id, organization_id, user_id, chat_id, '' from chat_messages where chat_id = ${chat.id}`
    await tx`update chats set leaf_message_id = ${id(String(count))} where id = ${chat.id}`
  })
  const times: number[] = []
  for (let count = 0; count < OPENINGS; count++)
    times.push(await timed(person, `/api/chat?chat_id=${chat.id}&`))
  console.log(
    `First page of ${count} messages of ${bytes} bytes: p50 ${median(times).toFixed(1)} ms, ` +
      `max ${Math.max(...times).toFixed(1)} ms`,
  )
}

async function report(): Promise<void> {
  await measureOpening(18_000, 2_048)
  await measureOpening(36, 1_000_000)
  const small = await fill(SMALL)
  const [alone = {}] = await measure([small])
  const large = await fill(LARGE)
  const [beside = {}, own = {}] = await measure([small, large])
  const columns = [`${SMALL} alone`, `${SMALL} shared`, `${LARGE}`, 'ratio to shared']
  console.log(''.padEnd(32) + columns.map((column) => column.padEnd(16)).join(''))
  for (const name of Object.keys(READINGS)) {
    const times = [alone, beside, own].map((one) => one[name] ?? Number.NaN)
    const [, base = Number.NaN, grown = Number.NaN] = times
    const told = [...times.map((time) => `${time.toFixed(2)} ms`), `x ${(grown / base).toFixed(2)}`]
    console.log(name.padEnd(32) + told.map((one) => one.padEnd(16)).join(''))
  }
}

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const dataDir = join(folder, 'postgres')
mkdirSync(dataDir)
const server = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
await server.createDatabase('parley')
const parley = await startServer(
  readConfig({
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: server.url('parley'),
    SECRET: 's'.repeat(32),
    LOG_LEVEL: 'silent',
    ...UNLIMITED,
  }),
)
const client = createClient(parley.address)
const sql: Sql = postgres(server.url('parley'), { max: 1, onnotice: () => {} })

try {
  await report()
} finally {
  await sql.end()
  await parley.stop()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
