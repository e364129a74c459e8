import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import postgres from 'postgres'
import { readZip } from '#tests/support/read-zip.ts'

/** A place to search for secrets, with its contents as text: a log, a table or a response. */
export interface Place {
  name: string
  text: string
}

const EMBEDDED = 'postgres'

/**
 * Returns the rows of each table as text. Reads a PostgreSQL database, or the folder of a stopped embedded database.
 */
export async function dumpDatabase(from: { url: string } | { dataDir: string }): Promise<Place[]> {
  if ('url' in from) {
    const sql = postgres(from.url, { max: 1, onnotice: () => {} })
    try {
      return await readTables((statement) => sql.unsafe(statement))
    } finally {
      await sql.end()
    }
  }
  const database = await PGlite.create({ dataDir: join(from.dataDir, EMBEDDED), extensions: { vector } })
  try {
    return await readTables(async (statement) => (await database.query<Row>(statement)).rows)
  } finally {
    await database.close()
  }
}

interface Row {
  [name: string]: string | null
}

async function readTables(ask: (statement: string) => PromiseLike<Iterable<Row>>): Promise<Place[]> {
  const tables = await ask(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`)
  const places: Place[] = []
  for (const { name } of tables) {
    const [row] = await ask(`select string_agg(t::text, E'\\n') as text from ${name} t`)
    places.push({ name: `table ${name}`, text: row?.['text'] ?? '' })
  }
  return places
}

/** Returns the names and contents of all files in a folder, except those of the embedded database. */
export function readFolder(folder: string): Place[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    if (!entry.isFile() || name.startsWith(`${EMBEDDED}/`)) return []
    return [{ name: `file ${name}`, text: `${name}\n${readFileSync(path, 'latin1')}` }]
  })
}

/** Returns the files of an export archive. */
export async function readExport(name: string, zip: Buffer): Promise<Place[]> {
  const entries = await readZip(zip)
  return [...entries].map(([entry, bytes]) => ({
    name: `${name} ${entry}`,
    text: `${entry}\n${bytes.toString('latin1')}`,
  }))
}
