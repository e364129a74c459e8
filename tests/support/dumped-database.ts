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
 * Restores dumps of whole databases. Each dump has a file with the facts needed to read it (docs/testing.md). `npm
 * run dump` writes a new dump. Existing dumps never change.
 */

export const DUMPS = join(import.meta.dirname, '../fixtures/databases')

/** The credentials of a user in a dump. */
export interface DumpedPerson extends Pick<Person, 'email' | 'password'> {
  appSecret?: string
}

/** The contents of a dump's `facts.json`. */
export interface DumpFacts {
  dumpedAt: string
  /** The SECRET that encrypts the columns of the dump. */
  secret: string
  people: Record<string, DumpedPerson>
  /** The API key and the session of a deployment. */
  deployment: { key: string; sessionId: string }
  invitationToken: string
  /** A chat whose reply was in progress at the time of the dump. */
  interruptedChatId: string
  kbId: string
}

export const readFacts = (folder: string): DumpFacts =>
  JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'))

/**
 * Restores a dump into an empty database. Shifts all times by whole days into the last 24 hours, so that nothing
 * expires as the dump ages.
 */
export async function restoreDump(folder: string, databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(gunzipSync(readFileSync(join(folder, 'dump.sql.gz'))).toString()).simple()
    // Restoring the dump clears the search path.
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
  // Excludes server_instances, so that the lease of the dumped process stays expired.
  const columns = await sql<{ table: string; column: string; type: string }[]>`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> 'server_instances'
      and c.data_type in ('timestamp with time zone', 'date')`
  // Disables triggers. Append-only tables would reject the shift, and counters would count it.
  await sql`set session_replication_role = replica`
  for (const [table, changed] of Map.groupBy(columns, (one) => one.table))
    await sql.unsafe(
      `update ${table} set ${changed
        .map(({ column, type }) => `${column} = ${movedBy(days, dumpedAt, column, type)}`)
        .join(', ')}`,
    )
  // Makes all deliveries due now. A later attempt would change responses while a test reads them.
  await sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`
}

function movedBy(days: number, dumpedAt: Date, column: string, type: string): string {
  if (type !== 'date') return `${column} + interval '${days} days'`
  if (column !== 'month') return `${column} + ${days}`
  // Shifts the first day of a month to the first day of the month that contains the shifted dump date.
  return `date_trunc('month', ${column} + ${days + dumpedAt.getUTCDate() - 1})`
}

/** Starts a server of the current version on a restored dump. The server migrates the database. */
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
    // Prevents connections to hosts named in the dump. Their loopback ports may now belong to other processes.
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

/**
 * Waits until the server has recovered from the death of the dumped process. By then, its replies have ended, its
 * holds are settled, and each due delivery has been attempted.
 */
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

/** Signs in with the password, and with a code if the user has an authenticator app. Returns the access token. */
export async function signIn(client: Client, { email, password, appSecret }: DumpedPerson): Promise<string> {
  const login = await client.call('POST', '/api/auth/login', { body: { email, password } })
  const proof = { challenge: login.body.challenge, code: appSecret && new App(appSecret).code() }
  const { status, body, text } = appSecret
    ? await client.call('POST', '/api/auth/verify_second_factor', { body: proof })
    : login
  if (status !== 200) throw new Error(text)
  return body.access_token
}

/** For each user of a dump, by name, the responses that the user can read. */
export type DumpAnswers = Record<string, Record<string, KeyAnswer>>

export const readAnswers = (folder: string): DumpAnswers =>
  JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'))

/**
 * Makes used authenticator codes valid again. The code used before the dump may still be the current code when the
 * dump is restored.
 */
export const forgetCodes = async ({ server }: TestServer): Promise<void> => {
  await server.services.database.sql`update totp_factors set last_used_step = 0`
}
