import type { Sql, TransactionSql } from 'postgres'
import { MARK, type Member, type Plan, type Text } from './plan-data.ts'

/* Writes the planned data with SQL, as a server would have written it over a year, with a consistent ledger. */

const YEAR_MS = 365 * 86_400_000
/** Chats begin at least this long ago, so that a chat of 5,000 messages ends before now. */
const LATEST_MS = 3 * 86_400_000
const MESSAGE_MS = 20_000
const ROWS_AT_ONCE = 20_000
const STARTING_CREDITS = 1_000_000_000
const AUDIT_PER_ORGANIZATION = 100
const DELIVERIES_PER_ORGANIZATION = 100
const REFRESHES_PER_MEMBER = 20
/** Share of the measured organization in audit entries and deliveries, as in messages. */
const LARGEST_SHARE = 0.1

export interface Fillable {
  plan: Plan
  texts: Text[]
  modelId: string
}

/** SQL for a UUIDv7 at a time in milliseconds. `kind` and `n` make it unique. */
const uuidAt = (ms: string, kind: string, n: string): string =>
  `(lpad(to_hex((${ms})::bigint), 12, '0') || '7000${kind}000' || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`

const chatId = uuidAt('begin_ms', '8', 'n')
const messageId = (k: string): string => uuidAt(`begin_ms + ${k} * ${MESSAGE_MS}`, '9', `n * 8192 + ${k}`)

/** Adds the organizations and members of a plan. */
export const addMembers = (sql: Sql, plan: Plan): Promise<unknown> => sql.begin((tx) => fillMembers(tx, plan))

/** Fills the tables of everything but knowledge bases. Removes the search index of messages while it does. */
export async function fill(sql: Sql, { plan, texts, modelId }: Fillable): Promise<void> {
  await sql.begin(async (tx) => {
    // The generated rows satisfy the foreign keys. Checking millions of them is not part of the measurement.
    await tx`set local session_replication_role = replica`
    await tx`set local maintenance_work_mem = '1GB'`
    await tx`set local work_mem = '256MB'`
    const [index] = await tx<{ indexdef: string }[]>`
      select indexdef from pg_indexes where indexname = 'chat_words_words'`
    await tx`drop index chat_words_words`
    await fillMessages(tx, plan, texts, modelId)
    await fillLedger(tx, modelId)
    await fillLogs(tx, plan)
    await tx.unsafe(index?.indexdef ?? '')
  })
}

async function fillMembers(tx: TransactionSql, { organizations, members }: Plan): Promise<void> {
  const [measured, ...others] = members as [Member, ...Member[]]
  await tx`
    insert into organizations (id, name, slug) select id, 'Organization ' || id, id::text
    from unnest(${organizations}::uuid[]) id`
  await tx`insert into credit_accounts (organization_id) select unnest(${organizations}::uuid[])`
  await tx`
    insert into roles (id, organization_id, name, hierarchy_level, is_system_role)
    select gen_random_uuid(), o.id, r.name, r.hierarchy_level, true from unnest(${organizations}::uuid[]) as o (id),
      (select * from roles where organization_id = ${measured.organizationId} and is_system_role) r`
  await tx`
    insert into role_permissions (role_id, permission_id)
    select r.id, p.permission_id from roles r
    join roles o on o.organization_id = ${measured.organizationId} and o.name = r.name
    join role_permissions p on p.role_id = o.id
    where r.organization_id = any(${organizations}::uuid[])`
  for (let from = 0; from < others.length; from += ROWS_AT_ONCE) {
    const some = others.slice(from, from + ROWS_AT_ONCE)
    const rows = tx`unnest(${some.map((one) => one.userId)}::uuid[], ${some.map((one) => one.organizationId)}::uuid[])
      as r (user_id, organization_id)`
    await tx`
      insert into users (id, email, first_name, last_name, registered_at, email_verified_at)
      select user_id, user_id || '@example.com', 'Member', left(user_id::text, 8), now(), now() from ${rows}`
    await tx`
      insert into memberships (organization_id, user_id, role_id, status)
      select organization_id, user_id, (select id from roles o
        where o.organization_id = r.organization_id and o.name = 'member'), 'active' from ${rows}`
  }
}

async function fillMessages(
  tx: TransactionSql,
  { chats }: Plan,
  texts: Text[],
  modelId: string,
): Promise<void> {
  await tx`create temp table g_texts (number int primary key, role text, content text, vector text) on commit drop`
  await tx`
    insert into g_texts select * from json_to_recordset(${JSON.stringify(texts)}::text::json)
      as t (number int, role text, content text, vector text)`
  await tx`
    create temp table g_chats (n bigint, organization_id uuid, user_id uuid, mark text, messages int, begin_ms bigint)
    on commit drop`
  const now = Date.now()
  for (let from = 0; from < chats.length; from += ROWS_AT_ONCE) {
    const some = chats.slice(from, from + ROWS_AT_ONCE)
    const begin = (at: number): number => now - LATEST_MS - Math.floor((YEAR_MS * (from + at)) / chats.length)
    await tx`
      insert into g_chats select ${from}::int + ordinality - 1, organization_id, user_id, mark, messages, begin_ms from unnest(
        ${some.map((one) => one.organizationId)}::uuid[], ${some.map((one) => one.userId)}::uuid[],
        ${some.map((one) => one.mark)}::text[], ${some.map((one) => one.messages)}::int[],
        ${some.map((_, at) => begin(at))}::bigint[])
        with ordinality as r (organization_id, user_id, mark, messages, begin_ms, ordinality)`
  }
  await tx.unsafe(`
    insert into chats (id, organization_id, user_id, title, status, model_id, leaf_message_id, message_count,
      input_tokens, output_tokens, credits, last_message_at, created_at, updated_at)
    select ${chatId}, organization_id, user_id, 'Chat ' || n, case when n % 20 = 19 then 'ARCHIVED' else 'ACTIVE' end,
      '${modelId}', ${messageId('messages')}, messages, messages * 20, messages * 40, messages * 60,
      to_timestamp((begin_ms + messages * ${MESSAGE_MS}) / 1000.0), to_timestamp(begin_ms / 1000.0),
      to_timestamp(begin_ms / 1000.0)
    from g_chats order by begin_ms`)
  const textOf = '(n * 31 + k * 7 + k / 2) % 500 * 2 + (k + 1) % 2'
  await tx.unsafe(`
    insert into chat_messages (id, organization_id, user_id, chat_id, parent_message_id, role, content, status,
      model_id, input_tokens, output_tokens, credits, created_at)
    select ${messageId('k')}, organization_id, user_id, ${chatId}, case when k > 1 then ${messageId('(k - 1)')} end, t.role,
      t.content || ' ' || n || '.' || k, 'complete', case when k % 2 = 0 then '${modelId}'::uuid end,
      case when k % 2 = 0 then 40 end, case when k % 2 = 0 then 80 end, case when k % 2 = 0 then 120 end,
      to_timestamp((begin_ms + k * ${MESSAGE_MS}) / 1000.0)
    from g_chats cross join lateral generate_series(1, messages) k join g_texts t on t.number = ${textOf}
    order by n desc, k`)
  await tx.unsafe(`
    insert into chat_words (id, organization_id, user_id, chat_id, title, words)
    select ${chatId}, organization_id, user_id, ${chatId}, 'Chat ' || n,
      (quote_literal(mark || 'chat') || ':1 ' || quote_literal(mark || n) || ':2')::tsvector from g_chats
    union all
    select ${messageId('k')}, organization_id, user_id, ${chatId}, null, replace(t.vector, '${MARK}', mark)::tsvector
    from g_chats cross join lateral generate_series(1, messages) k join g_texts t on t.number = ${textOf}`)
}

/** Writes a hold and a debit for each reply, in the order of time, and the sums that the server maintains. */
async function fillLedger(tx: TransactionSql, modelId: string): Promise<void> {
  await tx`
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, reason, created_at)
    select gen_random_uuid(), organization_id, 'CREDIT', ${STARTING_CREDITS}, ${STARTING_CREDITS},
      ${STARTING_CREDITS}, 'Start', now() - interval '400 days'
    from credit_accounts where organization_id in (select organization_id from g_chats)`
  await tx.unsafe(`
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, hold_id, model_id, user_id,
      chat_id, message_id, usage, created_at)
    select id, organization_id, kind, case kind when 'HOLD' then 1 else -amount end, amount,
      ${STARTING_CREDITS} + sum(amount) over (partition by organization_id order by ms, id),
      case kind when 'DEBIT' then hold_id end, '${modelId}', user_id, chat_id, message_id,
      case kind when 'DEBIT' then '{"input_tokens": 40, "output_tokens": 80}'::jsonb end, to_timestamp(ms / 1000.0)
    from (
      select n, begin_ms + k * ${MESSAGE_MS} - late as ms, organization_id, user_id, ${chatId} as chat_id,
        ${messageId('k')} as message_id, ${uuidAt(`begin_ms + k * ${MESSAGE_MS} - 900`, 'a', 'n * 8192 + k')} as hold_id,
        ${uuidAt(`begin_ms + k * ${MESSAGE_MS} - late`, 'a', 'n * 8192 + k')} as id, kind, amount
      from g_chats cross join lateral generate_series(2, messages, 2) k
        cross join (values ('HOLD', 900, 0), ('DEBIT', 0, -120)) as kinds (kind, late, amount)) replies
    order by ms, id`)
  await tx`
    update credit_accounts a set balance = sums.balance
    from (select organization_id, sum(amount) as balance from ledger_entries group by 1) sums
    where a.organization_id = sums.organization_id`
  await tx`
    insert into usage_days (organization_id, day, model_id, user_id, messages, input_tokens, output_tokens, credits)
    select organization_id, (created_at at time zone 'utc')::date, model_id, user_id, count(*), count(*) * 40,
      count(*) * 80, -sum(amount)
    from ledger_entries where kind = 'DEBIT' group by 1, 2, 3, 4`
}

/** Writes audit entries, webhook deliveries and refresh tokens. */
async function fillLogs(tx: TransactionSql, { organizations, members }: Plan): Promise<void> {
  const [measured] = members as [Member]
  const all = organizations.length + 1
  const owner = tx`case when random() < ${LARGEST_SHARE} or ${organizations.length} = 0 then ${measured.organizationId}::uuid
    else (${organizations}::uuid[])[1 + floor(random() * ${organizations.length})::int] end`
  await tx`
    insert into audit_entries (id, organization_id, actor_id, action, record_type, record_id, after, ip_address,
      request_id, created_at)
    select (lpad(to_hex(ms), 12, '0') || '7000b000' || lpad(to_hex(n), 12, '0'))::uuid, ${owner}, ${measured.userId},
      case when n % 100 = 0 then 'role.updated' else 'agent.updated' end,
      case when n % 100 = 0 then 'role' else 'agent' end, (n % 997)::text,
      jsonb_build_object('name', 'Agent ' || n), '192.0.2.1', gen_random_uuid(), to_timestamp(ms / 1000.0)
    from (select n, ${Date.now() - YEAR_MS}::bigint + n * (${YEAR_MS}::bigint / ${all * AUDIT_PER_ORGANIZATION}) as ms
      from generate_series(1, ${all * AUDIT_PER_ORGANIZATION}::bigint) n) times`
  await tx`
    insert into webhook_endpoints (id, organization_id, url, event_types, secret, created_by, last_sequence)
    select id, organization_id, 'https://example.com/', '{}', '', user_id, 1000000000
    from (select distinct on (organization_id) gen_random_uuid() as id, organization_id, user_id from memberships) m`
  await tx`
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data, status,
      next_attempt_at, created_at)
    select gen_random_uuid(), e.organization_id, e.id, n, 'billing.debited', '{"amount": 120}', 'delivered', null,
      now() - n % 29 * interval '1 day'
    from (select n, ${owner} as organization_id from generate_series(1, ${all * DELIVERIES_PER_ORGANIZATION}::int) n) d
    join webhook_endpoints e using (organization_id)`
  await tx`
    insert into sessions (id, user_id, expires_at) select gen_random_uuid(), user_id, now() + interval '20 days'
    from memberships where user_id <> ${measured.userId}`
  await tx`
    insert into refresh_tokens (token_hash, session_id, created_at, replaced_at)
    select gen_random_uuid()::text, id, now(), now() - n * interval '1 hour'
    from sessions cross join generate_series(1, ${REFRESHES_PER_MEMBER}::int) n`
}
