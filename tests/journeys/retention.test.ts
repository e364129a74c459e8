import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BATCH_ROWS } from '#platform/sweeps/retention.ts'
import type { Person } from '#tests/support/client.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let person: Person

beforeAll(async () => {
  server = await startTestServer({
    RETENTION_DELIVERIES_DAYS: '10',
    RETENTION_INVITATIONS_DAYS: '20',
    RETENTION_AUDIT_DAYS: '100',
  })
  person = await server.signUp()
})
afterAll(() => server.stop())

const sql = () => server.server.services.database.sql
const sweep = () => server.server.retention.sweep()
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort()

/** Inserts webhook deliveries that are `days` old. */
async function addDeliveries(days: number, count: number): Promise<void> {
  const endpointId = randomUUID()
  await sql()`
    insert into webhook_endpoints (id, organization_id, url, event_types, secret, created_by)
    values (${endpointId}, ${person.organizationId}, 'https://example.com/', '{}', '', ${person.userId})`
  await sql()`
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data, status, created_at)
    select gen_random_uuid(), ${person.organizationId}, ${endpointId}, n, 'test', '{}', 'delivered',
      now() - ${days} * interval '1 day'
    from generate_series(1, ${count}::int) n`
}

const countDeliveries = async (): Promise<number> => {
  const { count } =
    await sql()`select from webhook_deliveries where organization_id = ${person.organizationId}`
  return count
}

/** Inserts an audit entry that is `days` old. Returns its id. */
async function addAuditEntry(days: number): Promise<string> {
  const [row] = await sql()<{ id: string }[]>`
    insert into audit_entries (id, organization_id, actor_id, action, record_type, record_id, ip_address, request_id,
      created_at)
    values ((lpad(to_hex(((extract(epoch from now()) - ${days} * 86400) * 1000)::bigint), 12, '0')
        || '70008000' || right(gen_random_uuid()::text, 12))::uuid, ${person.organizationId}, ${person.userId},
      'test.updated', 'test', 'retention', '127.0.0.1', gen_random_uuid(), now() - ${days} * interval '1 day')
    returning id`
  return row?.id ?? ''
}

const readAuditEntries = async (): Promise<string[]> =>
  ids(await sql()<{ id: string }[]>`select id from audit_entries where record_id = 'retention'`)

test('deletes deliveries older than the setting, in several batches', async () => {
  await addDeliveries(11, 2 * BATCH_ROWS + 10)
  await addDeliveries(9, 5)
  await sweep()
  expect(await countDeliveries()).toBe(5)
})

test('two processes that sweep at the same time delete each row once', needs('PostgreSQL'), async () => {
  const before = await countDeliveries()
  await addDeliveries(12, BATCH_ROWS + 10)
  const other = await startTestServer({ ...server.environment, PORT: '0' })
  await Promise.all([sweep(), other.server.retention.sweep()])
  await other.stop()
  // A process that finds the other one at work leaves the rest to it.
  await sweep()
  expect(await countDeliveries()).toBe(before)
})

test('deletes audit entries by their age, and protects newer ones', async () => {
  await addAuditEntry(101)
  const kept = await addAuditEntry(99)
  await sweep()
  expect(await readAuditEntries()).toEqual([kept])
  await expect(sql()`delete from audit_entries where id = ${kept}`).rejects.toThrow('never changed')
  await expect(
    sql().begin(async (tx) => {
      await tx`select set_config('parley.audit_days', '100', true)`
      await tx`delete from audit_entries where id = ${kept}`
    }),
  ).rejects.toThrow('never changed')
})

test('deletes revoked and expired invitations, not accepted ones and those that created an account', async () => {
  const [role] = await sql()<{ id: string }[]>`
    select id from roles where organization_id = ${person.organizationId} and name = 'guest'`
  const add = async (status: string, days: number, byMagicLink = false): Promise<string> => {
    const id = randomUUID()
    await sql()`
      insert into invitations (id, organization_id, email, role_id, token_hash, status, by_magic_link, invited_by,
        expires_at)
      values (${id}, ${person.organizationId}, ${`${id}@example.com`}, ${role?.id ?? ''}, ${id}, ${status},
        ${byMagicLink}, ${person.userId}, now() - ${days} * interval '1 day')`
    return id
  }
  await add('pending', 21)
  await add('expired', 21)
  await add('revoked', 21, true)
  const kept = [
    await add('pending', 19),
    await add('accepted', 21),
    await add('revoked', 19),
    await add('pending', 21, true),
  ]
  await sweep()
  const left = await sql()<{ id: string }[]>`
    select id from invitations where organization_id = ${person.organizationId}`
  expect(ids(left)).toEqual(kept.toSorted())
})

test('deletes expired sessions with their tokens, and keeps the session in use', async () => {
  const { userId, token } = person
  const sessionId = randomUUID()
  await sql()`
    insert into sessions (id, user_id, expires_at) values (${sessionId}, ${userId}, now() - interval '2 days')`
  await sql()`
    insert into refresh_tokens (token_hash, session_id) select gen_random_uuid()::text, ${sessionId}
    from generate_series(1, ${BATCH_ROWS + 1}::int)`
  await sql()`insert into login_attempts values ('old', 1, now() - interval '25 hours'), ('new', 1, now())`
  await sweep()
  expect(await sql()`select from sessions where id = ${sessionId}`).toHaveLength(0)
  expect(await sql()`select from refresh_tokens where session_id = ${sessionId}`).toHaveLength(0)
  expect(await sql()`select from login_attempts where key_hash in ('old', 'new')`).toHaveLength(1)
  const answer = await server.call('GET', '/api/users/me', { token })
  expect(answer.status).toBe(200)
})

test('keeps messages and the ledger whatever their age', async () => {
  const { body: chat } = await server.call('POST', `/api/chat?org_id=${person.organizationId}`, {
    token: person.token,
    body: {},
  })
  await sql()`
    insert into chat_messages (id, organization_id, user_id, chat_id, role, content, status, created_at)
    values (${randomUUID()}, ${person.organizationId}, ${person.userId}, ${chat.id}, 'user', 'Old', 'complete',
      now() - interval '10 years')`
  const entries = await sql()`select from ledger_entries`
  await sweep()
  expect(await sql()`select from chat_messages where chat_id = ${chat.id}`).toHaveLength(1)
  expect((await sql()`select from ledger_entries`).count).toBe(entries.count)
})

test('a failing rule does not stop the others', async () => {
  await sql()`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`
  await sql()`create trigger refused before delete on login_attempts for each row execute function refuse()`
  await sql()`insert into login_attempts values ('stuck', 1, now() - interval '25 hours')`
  const before = await countDeliveries()
  await addDeliveries(12, 3)
  await sweep()
  expect(await countDeliveries()).toBe(before)
  await sql()`drop trigger refused on login_attempts`
  await sweep()
  expect(await sql()`select from login_attempts where key_hash = 'stuck'`).toHaveLength(0)
})
