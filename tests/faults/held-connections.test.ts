import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectDatabase, type OpenDatabase } from '#database/connect.ts'
import { WAIT_STEPS_MAX } from '#database/wait-limit.ts'
import { createJobs, type Queue } from '#platform/jobs/jobs.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { createDatabase } from '#tests/support/server.ts'

/*
 * A transaction keeps its connection until it ends. The driver gives the connection to other statements as soon as the
 * database reports that no transaction is open, so nothing but the driver may end one.
 */

const dataDir = mkdtempSync(join(tmpdir(), 'parley-held-'))
let onServer: Awaited<ReturnType<typeof createDatabase>>
let database: OpenDatabase
beforeAll(async () => {
  onServer = await createDatabase({ isEmpty: true })
  if (!onServer) await copyEmbedded(dataDir)
  // One connection, as if all others were busy.
  database = await connectDatabase({ databaseUrl: onServer?.url ?? null, dataDir, connectionsMax: 1 })
})
afterAll(async () => {
  await database.close()
  await onServer?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const ROUNDS_MAX = 500

const NOTHING: Queue<object> = {
  name: 'nothing',
  retries: 0,
  firstRetrySeconds: 1,
  timeoutSeconds: 60,
  concurrency: 1,
  run: async () => {},
}

/** Sends statements that the driver describes first, so that each occupies the connection. */
const sendOthers = (count: number, round = 0): Promise<unknown> =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      database.sql.unsafe(`select $1::int + ${round * count + n}`, [n]),
    ),
  )

test('the job queue starts while other statements wait for its connection', async () => {
  const { sql } = database
  const jobs = createJobs({ database, sweeps: null, log: pino({ level: 'silent' }) })
  let hasStarted = false
  const started = jobs.start([NOTHING as Queue<never>], 1).then(() => {
    hasStarted = true
  })
  for (let round = 0; !hasStarted && round < ROUNDS_MAX; round++) await sendOthers(20, round)
  await started
  expect(await sql`select from jobs.version`).toHaveLength(1)
  // In a process that runs no jobs, the first one needs no second connection, either.
  await sql.begin((tx) => jobs.add(tx, NOTHING, {}))
  expect((await jobs.countWaiting()).get('nothing')?.count).toBe(1)
  await jobs.stop()
})

test.each([98, 99, 100, 101, 102, 250])('a transaction begins behind %i statements', async (count) => {
  const { sql } = database
  // Sent only once `then` is called.
  const statement = () => sql`select ${1}::int as one`.then((rows) => rows)
  await statement()
  const others = Array.from({ length: count }, statement)
  const transaction = sql.begin(async (tx) => {
    await tx`create table rolled_back ()`
    throw new Error('rolled back')
  })
  await expect(transaction).rejects.toThrow('rolled back')
  expect((await Promise.all(others)).flat()).toHaveLength(count)
  expect(await sql`select to_regclass('rolled_back') as name`).toEqual([{ name: null }])
})

test('a statement that ends its transaction is refused before it is sent', async () => {
  const { sql } = database
  const transaction = sql.begin((tx) => tx.unsafe('create table ended (); commit'))
  await expect(transaction).rejects.toThrow('begins or ends a transaction')
  await expect(sql`commit`).rejects.toThrow('begins or ends a transaction')
  expect(await sql`select to_regclass('ended') as name`).toEqual([{ name: null }])
})

test('a transaction that never ends loses the connection of the embedded database, and others go on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const reported: string[] = []
  const folder = join(dataDir, 'stuck')
  await copyEmbedded(folder)
  const stuck = await connectDatabase({
    databaseUrl: null,
    dataDir: folder,
    report: (line) => reported.push(line),
  })
  const { sql } = stuck
  const begun = Promise.withResolvers<void>()
  const transaction = sql.begin(async (tx) => {
    await tx`create table kept_back ()`
    begun.resolve()
    await new Promise(() => {})
  })
  const lost = expect(transaction).rejects.toThrow('the database is unavailable')
  await begun.promise
  const waiting = expect(sql`select 1`).rejects.toThrow('the database is unavailable')
  vi.advanceTimersByTime(WAIT_STEPS_MAX * 1_000)
  await Promise.all([lost, waiting])
  expect(reported).toEqual([expect.stringContaining('has not answered for 120 s')])
  expect(await sql`select to_regclass('kept_back') as name`).toEqual([{ name: null }])
  vi.useRealTimers()
  await stuck.close()
})
