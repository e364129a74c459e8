import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ISql } from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outsideTransaction } from '#database/ambient.ts'
import { connectDatabase, type OpenDatabase } from '#database/connect.ts'
import { DatabaseUnavailable } from '#database/unavailable.ts'
import { needs } from '#tests/support/programs.ts'
import { createDatabase } from '#tests/support/server.ts'

/** PostgreSQL ends the connection of a transaction, as at a restart. The driver would end the process. */

const made = await createDatabase()
let database: OpenDatabase
let other: OpenDatabase
beforeAll(async () => {
  const open = () => connectDatabase({ databaseUrl: made?.url ?? '', dataDir: tmpdir(), connectionsMax: 2 })
  ;[database, other] = [await open(), await open()]
  await database.sql`create table notes (words text)`
})
afterAll(async () => {
  await database?.close()
  await other?.close()
  await made?.drop()
})

const pidOf = async (sql: ISql): Promise<number> =>
  (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid ?? 0
const terminate = (pid: number) =>
  outsideTransaction(async () => await other.sql`select pg_terminate_backend(${pid})`)

async function during(sql: ISql): Promise<void> {
  const pid = await pidOf(sql)
  await Promise.all([sql`select pg_sleep(5)`, sleep(50).then(() => terminate(pid))])
}

async function between(sql: ISql): Promise<void> {
  await terminate(await pidOf(sql))
  await sleep(100)
  await sql`insert into notes values ('of a lost transaction')`
}

const transaction = (work: (sql: ISql) => Promise<void>) => database.sql.begin(work)
const savepoint = (work: (sql: ISql) => Promise<void>) =>
  database.sql.begin((tx) => tx.savepoint((inner) => work(inner)))
const swallowed = (work: (sql: ISql) => Promise<void>) =>
  database.sql.begin(async (tx) => {
    await work(tx).catch(() => {})
    await sleep(300)
    await tx`insert into notes values ('of a lost transaction')`
  })

test.for([
  ['a transaction', 'during a statement', transaction, during],
  ['a transaction', 'between statements', transaction, between],
  ['a savepoint', 'during a statement', savepoint, during],
  ['a savepoint', 'between statements', savepoint, between],
  ['a transaction that ignores it', 'during a statement', swallowed, during],
] as const)(
  '%s whose connection is lost %s fails, and others continue',
  needs('PostgreSQL'),
  async ([, , open, lose]) => {
    const lost = open(lose)
    await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable)
    const others = Array.from({ length: 4 }, () =>
      database.sql.begin(async (tx) => {
        await tx`insert into notes values ('kept')`
        await sleep(100)
      }),
    )
    await Promise.all(others)
    await sleep(300)
    const notes = await database.sql`delete from notes returning words`
    expect(notes.map(({ words }) => words)).toEqual(Array(4).fill('kept'))
  },
)
