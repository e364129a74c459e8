import { join } from 'node:path'
import type { Sql } from 'postgres'

/*
 * A server of a checkout in a process of its own, for background.ts, which asks it for changes of the backlog: the
 * embedded database has no other connection.
 *
 *   node bench/background-server.ts CHECKOUT
 */

/** A request of background.ts. */
export type BacklogRequest =
  | { do: 'fill'; organizationId: string; userId: string; messages: number }
  | { do: 'show' | 'hide' | 'count' }

/** The address of the server first, then the number of messages without an entry in the index after each request. */
export type BacklogAnswer = { url: string } | { missing: number }

const MESSAGES_PER_CHAT = 50
/** Messages of the backlog are older than all others, so that only the walk of the index finds them. */
const AGE = '1 day'

const [, , checkout = ''] = process.argv
const { readConfig } = await import(join(checkout, 'server/config.ts'))
const { startServer } = await import(join(checkout, 'server/main.ts'))
const { systemSql } = await import(join(checkout, 'server/database/system-sql.ts'))

const server = await startServer(readConfig(process.env))
const sql: Sql = systemSql(server.services.database)

/** Adds chats of a user with messages of 25 words and 200 characters, most of them different. */
async function fill({ organizationId, userId, messages }: BacklogRequest & { do: 'fill' }): Promise<void> {
  await hide()
  for (let from = 0; from < messages; from += MESSAGES_PER_CHAT) {
    const id = (n: string) =>
      sql.unsafe(
        `(lpad(to_hex((extract(epoch from now() - interval '${AGE}') * 1000)::bigint), 12, '0') || '7000'
          || to_hex(32768 + (random() * 16383)::int) || lpad(to_hex(${n}), 12, '0'))::uuid`,
      )
    await sql`
      with made as (
        insert into chats (id, organization_id, user_id, title, status, message_count)
        values (${id(String(from))}, ${organizationId}, ${userId}, 'Backlog', 'ACTIVE', ${MESSAGES_PER_CHAT}) returning id)
      insert into chat_messages (id, organization_id, user_id, chat_id, role, content, status)
      select ${id(`${from} + n`)}, ${organizationId}, ${userId}, made.id, 'user',
        (select string_agg('word' || (random() * 20000)::int, ' ') from generate_series(1, 25 + 0 * n)), 'complete'
      from made, generate_series(1, ${MESSAGES_PER_CHAT}::int) n`
  }
  await sql`analyze`
}

/** Ends the walk of the index, so that it doesn't find the backlog. */
const hide = () => sql`
  insert into chat_words_walk (one, below, rest_until, begun_at) values (1, null, now() + interval '1 day', now())
  on conflict (one) do update set below = null, rest_until = excluded.rest_until, covered_at = null`
const show = () => sql`update chat_words_walk set below = null, rest_until = now(), covered_at = null`

async function countMissing(): Promise<number> {
  const [row] = await sql<{ missing: number }[]>`
    select count(*)::int as missing from chat_messages m
    where role = 'user' and not exists (select from chat_words w where w.id = m.id)`
  return row?.missing ?? 0
}

process.on('message', async (request: BacklogRequest) => {
  if (request.do === 'fill') await fill(request)
  if (request.do === 'hide') await hide()
  if (request.do === 'show') await show()
  process.send?.({ missing: await countMissing() } satisfies BacklogAnswer)
})
process.once('SIGTERM', () => server.stop().then(() => process.exit(0)))
process.send?.({ url: server.address } satisfies BacklogAnswer)
