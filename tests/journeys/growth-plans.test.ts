import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerMark } from '#parts/chat/words.ts'
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
    const before = await readScanned()
    for (let count = 0; count < REQUESTS; count++) {
      const answer = await server.call('GET', `${path}org_id=${person.organizationId}`, {
        token: person.token,
      })
      expect(answer.status).toBe(200)
    }
    const after = await readScanned()
    expect(after - before).toBeLessThan(FEWEST_SCANNED)
  })

  async function readScanned(): Promise<number> {
    const { sql } = server.server.services.database
    // Connections report their statistics at most once a second, unless they are asked to.
    for (let at = 0; at < 4; at++) await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ rows: number }[]>`
      select sum(seq_tup_read)::float8 as rows from pg_stat_user_tables where relname = any(${BIG})`
    return row?.rows ?? 0
  }
})
