import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { createDatabase } from '#tests/support/server.ts'
import { connectDatabase, type OpenDatabase } from './connect.ts'
import { type Column, insertRows } from './insert-rows.ts'
import { newId } from './new-id.ts'

interface Row {
  id: string
  count: number | null
  words: string
  list: string[]
  bytes: Uint8Array
  vector: Float32Array
}

const COLUMNS: Column<Row>[] = [
  { name: 'id', type: 'uuid', of: ({ id }) => id },
  { name: 'count', type: 'int4', of: ({ count }) => count },
  { name: 'words', type: 'text', of: ({ words }) => words },
  { name: 'list', type: 'text[]', of: ({ list }) => list },
  { name: 'bytes', type: 'bytea', of: ({ bytes }) => bytes },
  { name: 'vector', type: 'halfvec', of: ({ vector }) => vector },
]

describe.each(['the database of the tests', 'the embedded database'])('rows in %s', (which) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-rows-'))
  let database: OpenDatabase
  let made: Awaited<ReturnType<typeof createDatabase>> = null
  beforeAll(async () => {
    made = which === 'the embedded database' ? null : await createDatabase()
    if (made === null) await copyEmbedded(dataDir)
    database = await connectDatabase({ databaseUrl: made?.url ?? null, dataDir })
    await database.sql`
      create table rows (id uuid primary key, count int4, words text, list text[], bytes bytea, vector halfvec)`
  })
  afterAll(async () => {
    await database.close()
    await made?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const insert = (rows: Row[]) => database.sql.begin((tx) => insertRows(tx, database, 'rows', COLUMNS, rows))
  const rowOf = (more: Partial<Row> = {}): Row => ({
    id: newId(),
    count: 1,
    words: 'a',
    list: [],
    bytes: Buffer.of(),
    vector: Float32Array.of(1),
    ...more,
  })

  test('are read back as they were inserted', async () => {
    const rows = [
      rowOf({
        count: -5,
        words: 'Ä\t"\\N\n\\. 漢字 😀',
        list: ['', 'a "b"', '\\', 'NULL'],
        bytes: Buffer.of(0, 255, 10),
        vector: Float32Array.of(0.25, -1, 0),
      }),
      rowOf({ count: null, words: '' }),
    ]
    await insert(rows)
    const read = await database.sql<Record<string, unknown>[]>`
      select id, count, words, list, bytes, vector::text as vector from rows order by id`
    expect(read.map((row) => ({ ...row }))).toEqual(
      rows.map((row) => ({ ...row, bytes: Buffer.from(row.bytes), vector: `[${row.vector.join(',')}]` })),
    )
    await database.sql`delete from rows`
  })

  test('are all inserted when they need many blocks', async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => rowOf({ count: at, words: 'word '.repeat(200) }))
    await insert(rows)
    const [sum] =
      await database.sql`select count(*)::int as n, sum(count)::int as sum, sum(length(words))::int as l from rows`
    expect({ ...sum }).toEqual({ n: 3_000, sum: (2_999 * 3_000) / 2, l: 3_000_000 })
    await database.sql`delete from rows`
  })

  test('are all rolled back if the database refuses one, and the connection stays usable', async () => {
    const twice = rowOf()
    await expect(insert([rowOf(), twice, twice])).rejects.toThrow()
    await expect(insert([rowOf({ words: 'a\0b' })])).rejects.toThrow()
    const large = Array.from({ length: 500 }, () => rowOf({ words: 'x'.repeat(5_000) }))
    await expect(insert([rowOf({ words: '\0' }), ...large])).rejects.toThrow()
    expect(await database.sql`select from rows`).toHaveLength(0)
  })
})
