import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DATABASE_FOLDER } from '#database/embedded.ts'
import { serveEmbedded } from '#database/serve-embedded.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'

/* Several connections share the one session of the embedded database. */

const folder = mkdtempSync(join(tmpdir(), 'parley-test-'))
const path = join(folder, '.s.PGSQL.5432')

let database: PGlite
let close: () => Promise<void>
let opened: postgres.Sql[] = []

const open = (): postgres.Sql => {
  const sql = postgres({ path, username: 'postgres', database: 'postgres', max: 1, onnotice: () => {} })
  opened.push(sql)
  return sql
}

beforeAll(async () => {
  await copyEmbedded(folder)
  database = await PGlite.create({ dataDir: join(folder, DATABASE_FOLDER), extensions: { vector } })
  close = await serveEmbedded(database, path, () => {})
  await database.exec('create table notes (text text primary key)')
})
afterEach(async () => {
  await Promise.all(opened.map((sql) => sql.end({ timeout: 1 })))
  opened = []
  await database.exec('delete from notes')
})
afterAll(async () => {
  await close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

test('statements of two connections, of any size, return their own results', async () => {
  const [one, other] = [open(), open()]
  const statements = Array.from({ length: 200 }, async (_, number) => {
    const sql = number % 2 === 0 ? one : other
    const text = 'é'.repeat(number % 100 === 0 ? 3_000_000 : number)
    const [row] = await sql<
      { number: number; text: string }[]
    >`select ${number}::int as number, ${text}::text as text`
    expect(row?.number).toBe(number)
    expect(row?.text === text).toBe(true)
  })
  await Promise.all(statements)
})

test('a statement waits until the transaction of another connection has ended', async () => {
  const [one, other] = [open(), open()]
  let counted: Promise<number> | undefined
  await one.begin(async (tx) => {
    await tx`insert into notes values ('first')`
    counted = other<{ count: number }[]>`select count(*)::int as count from notes`.then(
      ([row]) => row?.count as number,
    )
    await sleep(50)
    await tx`insert into notes values ('second')`
  })
  expect(await counted).toBe(2)
})

test('a failed statement changes nothing for later ones, whatever follows it in the same packet', async () => {
  const sql = open()
  const outcomes = await Promise.allSettled([
    sql`select 1 / 0`,
    sql`insert into notes values ('kept')`,
    sql`insert into notes values (${'kept'})`,
    sql`select text from notes`,
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
})

test('a connection that closes in a transaction leaves nothing behind and blocks nobody', async () => {
  const [one, other] = [open(), open()]
  const lost = one.begin(async (tx) => {
    await tx`insert into notes values ('lost')`
    await one.end({ timeout: 0 })
    await tx`select 1`
  })
  await expect(lost).rejects.toThrow()
  expect(await other`select text from notes`).toEqual([])
})

test('a connection that closes within a statement blocks nobody', async () => {
  const socket = connect(path)
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0')
  const start = Buffer.alloc(8)
  start.writeUInt32BE(8 + parameters.length, 0)
  start.writeUInt32BE(196_608, 4)
  socket.write(Buffer.concat([start, parameters]))
  await new Promise((resolve) => socket.once('data', resolve))
  // A Parse message with a syntax error, without the Sync after which the server listens again.
  socket.write(Buffer.from('P\0\0\0\x0b\0nope\0\0\0', 'latin1'))
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  expect(await open()`select 1 as one`).toEqual([{ one: 1 }])
})
