import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import postgres from 'postgres'
import type { Client, Person } from './client.ts'
import { App } from './factors.ts'
import type { KeyAnswer } from './read-accounts.ts'
import { startTestServer, type TestServer } from './server.ts'

/*
 * A dump of a whole database, with what reading it needs (docs/testing.md). `npm run dump` writes one, and nothing ever
 * changes one.
 */

export const DUMPS = join(import.meta.dirname, '../fixtures/databases')

/** A person in a dump, as they sign in. */
export interface DumpedPerson extends Pick<Person, 'email' | 'password'> {
  /** The base32 secret of the authenticator app. */
  appSecret?: string
}

/** `facts.json` of a dump. */
export interface DumpFacts {
  dumpedAt: string
  /** The SECRET that its columns are encrypted with. */
  secret: string
  people: Record<string, DumpedPerson>
  /** What opens the deployment of the session `sessionId`. */
  deployment: { key: string; sessionId: string }
  invitationToken: string
  /** The chat whose reply was under way. */
  interruptedChatId: string
  kbId: string
}

export const readFacts = (folder: string): DumpFacts =>
  JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'))

/**
 * Restores a dump into an empty database. All times move by whole days to the last 24 hours, so that nothing expires
 * with the age of the dump.
 */
export async function restoreDump(folder: string, databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(gunzipSync(readFileSync(join(folder, 'dump.sql.gz'))).toString()).simple()
    // The dump has emptied the search path.
    await sql`set search_path to public`
    await makeRecent(sql, new Date(readFacts(folder).dumpedAt))
  } finally {
    await sql.end()
  }
}

const RECOVERY_POLL_MS = 50
const DAY_MS = 86_400_000

async function makeRecent(sql: postgres.Sql, dumpedAt: Date): Promise<void> {
  const days = Math.floor((Date.now() - dumpedAt.getTime()) / DAY_MS)
  // The lease of the process that was dumped stays as it was: that process is dead.
  const columns = await sql<{ table: string; column: string; type: string }[]>`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> 'server_instances'
      and c.data_type in ('timestamp with time zone', 'date')`
  // Neither append-only tables nor counters see the change.
  await sql`set session_replication_role = replica`
  for (const [table, changed] of Map.groupBy(columns, (one) => one.table))
    await sql.unsafe(
      `update ${table} set ${changed
        .map(({ column, type }) => `${column} = ${movedBy(days, dumpedAt, column, type)}`)
        .join(', ')}`,
    )
  // At once, and not while people read: an attempt shows in what they read.
  await sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`
}

function movedBy(days: number, dumpedAt: Date, column: string, type: string): string {
  if (type !== 'date') return `${column} + interval '${days} days'`
  if (column !== 'month') return `${column} + ${days}`
  // The month of the day of the dump becomes the month of the day that this one becomes.
  return `date_trunc('month', ${column} + ${days + dumpedAt.getUTCDate() - 1})`
}

/** A server of the present on a restored dump. Migrations bring the database to the present. */
export async function startRestored(folder: string, databaseUrl: string): Promise<TestServer> {
  const restoredAt = new Date().toISOString()
  await restoreDump(folder, databaseUrl)
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-dump-'))
  const files = join(folder, 'files')
  if (existsSync(files)) cpSync(files, join(dataDir, 'files'), { recursive: true })
  const server = await startTestServer({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SECRET: readFacts(folder).secret,
    // The servers that rows name are gone, and their ports may belong to others.
    ALLOW_PRIVATE_NETWORK: '',
  })
  await waitForRecovery(server, restoredAt)
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The replies of the dead process end, their holds are settled, and each delivery that was due has been tried. */
async function waitForRecovery({ server }: TestServer, restoredAt: string): Promise<void> {
  const { sql } = server.services.database
  const isRecovering = async (): Promise<boolean> => {
    const waiting = await sql`
      select from open_holds
      union all select from webhook_deliveries
        where status = 'pending' and attempts -> -1 ->> 'at' < ${restoredAt}`
    return waiting.length > 0
  }
  while (await isRecovering()) await sleep(RECOVERY_POLL_MS)
}

/** Signs in with the password and, where the person has an authenticator app, its code. Returns the access token. */
export async function signIn(client: Client, { email, password, appSecret }: DumpedPerson): Promise<string> {
  const login = await client.call('POST', '/api/auth/login', { body: { email, password } })
  const proof = { challenge: login.body.challenge, code: appSecret && new App(appSecret).code() }
  const { status, body, text } = appSecret
    ? await client.call('POST', '/api/auth/second_factor', { body: proof })
    : login
  if (status !== 200) throw new Error(text)
  return body.access_token
}

/** What each person of a dump can read, by their names. */
export type DumpAnswers = Record<string, Record<string, KeyAnswer>>

export const readAnswers = (folder: string): DumpAnswers =>
  JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'))

/** A code of an authenticator app is good once, and a dump may be younger than its last code. */
export const forgetCodes = async ({ server }: TestServer): Promise<void> => {
  await server.services.database.sql`update totp_factors set last_used_step = 0`
}
