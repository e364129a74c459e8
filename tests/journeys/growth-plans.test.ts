import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import { ownerMark } from '#parts/chat/words.ts'
import { createLedger } from '#platform/ledger/ledger.ts'
import { setBudget } from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * Checks that the statements behind frequent requests find their rows through indexes, whatever else the tables
 * contain. Counts the rows that PostgreSQL reads in scans of whole tables. Times are measured by bench/growth.ts.
 */

/** More rows of other users than the planner would scan instead of using an index. */
const OTHERS = 20_000
/** Requests per path: PostgreSQL plans the first five of a prepared statement for their values, the others for any. */
const REQUESTS = 12
/**
 * A request whose plan scans a table does so at least five times. The server's background work may have scanned one
 * before the tables were analyzed, and PostgreSQL reports what an idle connection did up to 10 s later.
 */
const FEWEST_SCANNED = 4 * OTHERS
const BIG = [
  'chats',
  'chat_messages',
  'chat_words',
  'ledger_entries',
  'audit_entries',
  'sessions',
  'memberships',
]

describe('requests beside many rows of others', needs('PostgreSQL'), () => {
  let server: TestServer
  let person: Person
  beforeAll(async () => {
    server = await startTestServer()
    person = await server.signUp()
    const other = await server.signUp()
    const { sql } = server.server.services.database
    for (const { organizationId, userId } of [person, other]) {
      const mark = ownerMark({ organizationId, userId })
      const count = userId === person.userId ? 500 : OTHERS
      await sql`
        with added as (
          insert into chats (id, organization_id, user_id, title, status)
          select gen_random_uuid(), ${organizationId}, ${userId}, 'Chat', 'ACTIVE' from generate_series(1, ${count}::int)
          returning id, organization_id, user_id)
        insert into chat_words (id, organization_id, user_id, chat_id, title, words)
        select id, organization_id, user_id, id, 'Chat', ${`'${mark}chat':1`}::text::tsvector from added`
      await sql`
        insert into audit_entries (id, organization_id, actor_id, action, record_type, record_id, ip_address, request_id)
        select gen_random_uuid(), ${organizationId}, ${userId}, 'role.updated', 'role', gen_random_uuid()::text, '::1', gen_random_uuid()
        from generate_series(1, ${count}::int)`
      await sql`
        insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after)
        select gen_random_uuid(), ${organizationId}, 'HOLD', 1, 0, 0 from generate_series(1, ${count}::int)`
    }
    await sql`
      insert into sessions (id, user_id, expires_at) select gen_random_uuid(), ${other.userId}, now() + interval '1 day'
      from generate_series(1, ${OTHERS}::int)`
    await sql`analyze`
  })
  afterAll(() => server.stop())

  test.each([
    '/api/chat/list?',
    '/api/chat/list?status=ARCHIVED&',
    '/api/chat/search?q=chat&',
    '/api/chat/search?q=absent&',
    '/api/billing/ledger?',
    '/api/billing/ledger?kind=CREDIT&',
    '/api/audit/list?',
    '/api/audit/list?record_id=absent&',
    '/api/audit/list?action=absent&',
  ])('GET %s scans no large table', async (path) => {
    // Background work may also scan a table, so a round without it counts.
    await expect.poll(() => scannedBy(path)).toBeLessThan(FEWEST_SCANNED)
  })

  async function scannedBy(path: string): Promise<number> {
    const before = await readScanned()
    for (let count = 0; count < REQUESTS; count++) {
      const answer = await server.call('GET', `${path}org_id=${person.organizationId}`, {
        token: person.token,
      })
      expect(answer.status).toBe(200)
    }
    return (await readScanned()) - before
  }

  async function readScanned(): Promise<number> {
    const { sql } = server.server.services.database
    // Connections report their statistics at most once a second, unless they are asked to.
    for (let at = 0; at < 4; at++) await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ rows: number }[]>`
      select sum(seq_tup_read)::float8 as rows from pg_stat_user_tables where relname = any(${BIG})`
    return row?.rows ?? 0
  }
})

describe('a group of holds beside many rows of usage', needs('PostgreSQL'), () => {
  /** Days whose usage tells what a call is expected to cost, and the rows that are read of each. */
  const DAYS = 7
  const ROWS_PER_DAY = 100

  let server: TestServer
  let person: Person
  const modelId = newId()
  beforeAll(async () => {
    server = await startTestServer()
    person = await server.signUp()
    const { sql } = server.server.services.database
    await sql`
      insert into usage_days
        (organization_id, day, model_id, user_id, messages, input_tokens, output_tokens, credits)
      select ${person.organizationId}, (now() at time zone 'utc')::date - ago, ${modelId}, gen_random_uuid(), 1, 1, 1, 1
      from generate_series(0, ${DAYS - 1}::int) as ago, generate_series(1, ${10 * ROWS_PER_DAY}::int)`
    await sql`analyze`
  })
  afterAll(() => server.stop())

  async function limitRequests(): Promise<void> {
    const path = `/api/billing/limits/set?org_id=${person.organizationId}`
    const body = { user_id: person.userId, requests_per_minute: 1_000 }
    expect((await server.call('PUT', path, { token: person.token, body })).status).toBe(200)
  }
  const limitSpending = () =>
    setBudget(server, person, { user_id: person.userId, credits_per_month: 1_000_000 })

  test.each([
    ['a limit per minute', limitRequests, null, 0],
    ['a budget, with a maximum of tokens', limitSpending, 10, 0],
    ['a budget, without a maximum of tokens', limitSpending, null, DAYS * ROWS_PER_DAY],
  ])('reads few of them under %s', async (_, limit, outputTokens, rowsMax) => {
    await limit()
    expect(await countRead(outputTokens)).toBeLessThanOrEqual(rowsMax)
  })

  /** Opens a group of holds. Returns the number of rows of usage that it has read. */
  async function countRead(outputTokens: number | null): Promise<number> {
    const { organizationId, userId } = person
    const payer = { organizationId, userId, apiKeyId: null }
    const model = { id: modelId, inputRatio: 1, outputRatio: 1 }
    const connection = postgres(server.environment['DATABASE_URL'] as string, { max: 1 })
    const rows = await connection.begin(async (tx) => {
      // The ledger's interface allows no transaction, but only a transaction's own statistics are exact.
      const ledger = createLedger({ ...server.server.services.database, sql: tx as never }, newId())
      const expected = async () => ({ inputTokens: 1, outputTokens })
      await Promise.all(Array.from({ length: 100 }, () => ledger.hold(payer, model, expected)))
      const [row] = await tx<{ rows: number }[]>`
        select (seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_xact_user_tables
        where relname = 'usage_days'`
      return row?.rows
    })
    await connection.end()
    return rows ?? Number.NaN
  }
})
