import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { readConfig } from '../server/config.ts'
import { type Server, startServer } from '../server/main.ts'
import { createClient } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNBUILT, UNLIMITED } from '../tests/support/process.ts'
import { startProvider } from '../tests/support/provider/index.ts'
import { addPending, readMarkdown, vocabulary, waitUntilIndexed } from './generated-knowledge.ts'
import { addMembers, fill } from './growth/fill.ts'
import { type Amounts, planData, planTexts, scaled } from './growth/plan-data.ts'
import { findCursors, READINGS, type Reading, renewToken, type Stage } from './growth/requests.ts'
import { readSizes, reportSizes } from './growth/sizes.ts'
import { quantile, timed } from './times.ts'

/*
 * Measures how requests grow with the amount of data, on PostgreSQL:
 *
 *   npm run growth                         # 1,000,000 messages, 100,000 chunks, 1,000 organizations
 *   npm run growth -- --scale 0.05         # less data, for a quick look
 *   npm run growth -- --only chat          # requests whose names contain the text
 *
 * Fills two databases, one with a thousandth of the data. Sends each request to both in turn, so that other load on
 * the machine affects both equally. Buffers are the pages of 8 kB that PostgreSQL reads for a request, in memory or
 * not. They do not depend on other load. Prints a Markdown table.
 */

const SMALL_SCALE = 0.001
const ROUNDS = 60
const WARM_UP = 10
const COUNTED = 10
const TARGET = 1.5
/** Fewer additional buffers do not count as growth: the indexes of a dozen tables are one or two levels deeper. */
const FEW_BUFFERS = 100
const PROVIDER_MODEL = 'emu-n40'
/** As an operator sets up a machine of 24 GB that also runs the server. */
const SETTINGS = {
  shared_buffers: '2GB',
  max_wal_size: '8GB',
  jit: 'off',
  autovacuum: 'off',
  fsync: 'off',
  synchronous_commit: 'off',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
}

const { values: options } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, only: { type: 'string', default: '' } },
})
const folder = mkdtempSync(join(tmpdir(), 'parley-growth-'))
mkdirSync(join(folder, 'postgres'))
const database = await startPostgres({ dataDir: join(folder, 'postgres'), settings: SETTINGS })
const provider = await startProvider({ record: false })
const words = vocabulary(readMarkdown())
const servers: Server[] = []

try {
  const statistics = postgres(database.url('postgres'), { max: 1, onnotice: () => {} })
  await statistics`create extension pg_stat_statements`
  const scale = Number(options.scale)
  const stages = [
    await prepare('small', scaled(scale * SMALL_SCALE)),
    await prepare('full', scaled(scale)),
  ] as const
  const readings = READINGS.filter(({ name }) => name.toLowerCase().includes(options.only.toLowerCase()))
  printHead()
  for (const reading of readings) {
    for (const stage of stages) await renewToken(stage)
    const times = await measure(stages, reading)
    const buffers = await Promise.all(stages.map((stage) => countBuffers(statistics, stage, reading)))
    printLine(reading, times, buffers)
  }
  for (const { sql } of stages) await sql.end()
  await statistics.end()
} finally {
  for (const server of servers) await server.stop()
  await provider.close()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Creates a database, starts a server on it and fills it. */
async function prepare(name: string, amounts: Amounts): Promise<Stage> {
  const begin = performance.now()
  await database.createDatabase(name)
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  const server = await startServer(
    readConfig({
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url(name),
      SECRET: 's'.repeat(32),
      STARTING_CREDITS: '0',
      ALLOW_PRIVATE_NETWORK: 'true',
      // Sweeps wait for the tables that are being filled, and time out.
      LOG_LEVEL: 'fatal',
      ...UNLIMITED,
      ...UNBUILT,
    }),
  )
  servers.push(server)
  const sql = postgres(database.url(name), { max: 1, onnotice: () => {} })
  const client = createClient(server.address)
  const person = await client.signUp()
  const modelId = await client.addModel(person, {
    provider: 'openai-compatible',
    version: PROVIDER_MODEL,
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
  const plan = planData(person, amounts)
  await addMembers(sql, plan)
  const others = postgres(database.url(name), { max: 1, onnotice: () => {} })
  const filled = fill(others, { plan, texts: planTexts(words), modelId })
  const kbIds: string[] = []
  for (const { chunks, ...owner } of plan.kbs) kbIds.push(await addPending(sql, owner, words, chunks))
  const chunks = await waitUntilIndexed(sql)
  await filled
  await others.end()
  await sql`vacuum (analyze)`
  await sql`checkpoint`
  const chats = await sql<{ id: string; title: string }[]>`
    select id, title from chats where title in ('Chat 0', 'Chat 1') order by title`
  const stage: Stage = {
    name,
    address: server.address,
    database: name,
    sql,
    person,
    modelId,
    largeChatId: chats[0]?.id ?? '',
    smallChatId: chats[1]?.id ?? '',
    largeKbId: kbIds[0] as string,
    smallKbId: kbIds[1] as string,
    words,
    cursors: new Map(),
  }
  await renewToken(stage)
  await findCursors(stage)
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  console.error(
    `${name}: ${amounts.messages} messages in ${plan.chats.length} chats, ${chunks} chunks in ${plan.kbs.length} ` +
      `knowledge bases, ${amounts.organizations} organizations, filled in ${seconds} s`,
  )
  reportSizes(name, amounts, await readSizes(sql))
  return stage
}

async function measure(stages: readonly Stage[], reading: Reading): Promise<number[][]> {
  const times: number[][] = stages.map(() => [])
  for (let round = 0; round < ROUNDS + WARM_UP; round++)
    for (const [index, stage] of stages.entries()) {
      const time = await timed(() => reading.send(stage))
      if (round >= WARM_UP) times[index]?.push(time)
    }
  return times
}

/** Returns the buffers that a request reads. Ignores statements that ran less often, which belong to background work. */
async function countBuffers(statistics: postgres.Sql, stage: Stage, reading: Reading): Promise<number> {
  const read = () => statistics<{ id: string; calls: number; buffers: number }[]>`
    select s.queryid::text as id, sum(calls)::float8 as calls,
      sum(shared_blks_hit + shared_blks_read + local_blks_hit + temp_blks_read + temp_blks_written)::float8 as buffers
    from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = ${stage.database} group by 1`
  const before = new Map((await read()).map((row) => [row.id, row]))
  for (let count = 0; count < COUNTED; count++) await reading.send(stage)
  let sum = 0
  for (const { id, calls, buffers } of await read()) {
    const known = before.get(id) ?? { calls: 0, buffers: 0 }
    if (calls - known.calls >= COUNTED) sum += buffers - known.buffers
  }
  return sum / COUNTED
}

function printHead(): void {
  console.log(`${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB, scale ${options.scale}\n`)
  console.log(
    '| Request | p50 at 1/1,000 | p50 full | Ratio | p95 at 1/1,000 | p95 full | Buffers at 1/1,000 | Buffers full | |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|---|')
}

function printLine({ name, ofOwnSize }: Reading, times: number[][], buffers: number[]): void {
  const [small = Number.NaN, full = Number.NaN] = times.map((some) => quantile(some, 0.5))
  const [few = 0, many = 0] = buffers
  const grows = full / small > TARGET || many > Math.max(few * TARGET, few + FEW_BUFFERS)
  const cells = [
    name,
    ms(small),
    ms(full),
    (full / small).toFixed(2),
    ...times.map((some) => ms(quantile(some, 0.95))),
    ...buffers.map((count) => count.toFixed(0)),
    grows ? (ofOwnSize ? 'grows with its own data' : '**grows**') : '',
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}
