import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import type { TestServer } from './server.ts'

/** Where to search in addition to the database. */
export interface Places {
  /** Folders to search recursively. */
  folders: string[]
  redisUrl?: string
}

/** Returns every place that contains `word`: rows as `table: row`, files by content or name, and Redis keys. */
export async function findTraces(server: TestServer, places: Places, word: string): Promise<string[]> {
  const [rows, files, keys] = [
    await findRows(server, word),
    places.folders.flatMap((folder) => findFiles(folder, word)),
    places.redisUrl === undefined ? [] : await findKeys(places.redisUrl, word),
  ]
  return [...rows, ...files, ...keys]
}

/** Searches every row of every table, converted to text by PostgreSQL. */
async function findRows(server: TestServer, word: string): Promise<string[]> {
  const { sql } = server.server.services.database
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`
  const statements = tables.map(
    ({ name }) => `select '${name}: ' || t::text as found from ${name} t where strpos(t::text, $1) > 0`,
  )
  const rows = await sql.unsafe<{ found: string }[]>(statements.join(' union all '), [word])
  return rows.map(({ found }) => found)
}

/** Searches the files of a folder. Skips the embedded database's files, because findRows searches that database. */
function findFiles(folder: string, word: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    if (path.includes('/postgres/')) return []
    const isIn = entry.isFile() && readFileSync(path).includes(word)
    return isIn || entry.name.includes(word) ? [path] : []
  })
}

async function findKeys(url: string, word: string): Promise<string[]> {
  const redis = createClient({ url })
  await redis.connect()
  const found: string[] = []
  for (const key of await redis.keys('*')) {
    const bytes = await redis.sendCommand<string | null>(['DUMP', key])
    const stream =
      (await redis.type(key)) === 'stream' ? JSON.stringify(await redis.xRange(key, '-', '+')) : ''
    if (`${key} ${bytes} ${stream}`.includes(word)) found.push(key)
  }
  redis.destroy()
  return found
}
