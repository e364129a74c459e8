import type { Sql } from 'postgres'
import Type, { type Static } from 'typebox'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { Enum, Nullable, PageOf, PageQuery, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { makeSnippet } from './make-snippet.ts'
import { parseQuery, type SearchQuery, toTsQuery } from './search-query.ts'
import { INDEXED_CHARACTERS_MAX, ownerMark } from './words.ts'

/** So many of the newest messages are looked through one by one before the index is asked. */
const NEWEST = 300

export const ChatSearch = Type.Object({
  org_id: Uuid,
  q: Type.String({ minLength: 1, maxLength: 200, description: 'For example: plan "next summer" -work' }),
  ...PageQuery,
})
type ChatSearch = Static<typeof ChatSearch>

const Hit = Type.Object(
  {
    chat_id: Uuid,
    title: Type.String({ description: 'Of the chat' }),
    message_id: Type.Unsafe<string | null>({
      ...Nullable(Uuid),
      description: 'null: the title of the chat was found',
    }),
    role: Nullable(Enum(['user', 'assistant'])),
    snippet: Type.String({ description: 'Plain text around the first word that was found' }),
    highlights: Type.Array(Type.Object({ start: Type.Integer(), end: Type.Integer() }), {
      description: 'Where the words stand in the snippet, in UTF-16 units; the end is exclusive',
    }),
    created_at: Timestamp,
  },
  { title: 'ChatSearchHit' },
)
type Hit = Static<typeof Hit>
export const HitPage = PageOf(Hit, 'ChatSearchPage')

interface HitRow {
  id: string
  chat_id: string
  title: string
  role: 'user' | 'assistant' | null
  text: string

  created_at: string
}

/**
 * Messages and titles of the caller's chats that say what is asked for, newest first; also in archived chats and on
 * branches that are not active. Throws chat.search_empty.
 */
export function searchChats(
  sql: Sql,
  scope: Scope<'chats:read'>,
  query: Omit<ChatSearch, 'org_id'>,
): Promise<Page<Hit>> {
  const wanted = parseQuery(query.q)
  return readPage(
    query,
    async (below, count) => readHits(sql, scope, await findHits(sql, scope, { wanted, below, count })),
    (row) => viewHit(row, wanted),
  )
}

/**
 * The ids of what is found. A word that is in most messages fills the page from the newest few; the index would name
 * all of them, to be sorted before the first is known. So only what the newest don't fill comes from the index.
 */
async function findHits(
  sql: Sql,
  scope: Scope<'chats:read'>,
  { wanted, below, count }: { wanted: SearchQuery; below: string | undefined; count: number },
): Promise<string[]> {
  const words = sql`${toTsQuery(ownerMark(scope), wanted)}::tsquery`
  const own = sql`w.organization_id = ${scope.organizationId} and w.user_id = ${scope.userId}`
  const isShown = sql`exists (
    select from chats c where c.organization_id = w.organization_id and c.user_id = w.user_id and c.id = w.chat_id
      and c.status <> 'DELETED' and not c.is_conversation and (w.title is null or w.title = c.title))`
  const [newest] = await sql<{ found: string[]; lowest: string | null; seen: number }[]>`
    with newest as materialized (
      select w.id, w.organization_id, w.user_id, w.chat_id, w.title, w.words from chat_words w
      where ${own} and ${below === undefined ? sql`true` : sql`w.id < ${below}`}
      order by w.id desc limit ${NEWEST})
    select count(*)::int as seen, (select id from newest order by id limit 1) as lowest,
      array(select w.id from newest w where w.words @@ ${words} and ${isShown}
        order by w.id desc limit ${count}) as found
    from newest`
  const found = newest?.found ?? []
  if (found.length === count || newest?.lowest == null || newest.seen < NEWEST) return found
  const older = await sql<{ id: string }[]>`
    with matching as materialized (
      select w.id, w.organization_id, w.user_id, w.chat_id, w.title from chat_words w where w.words @@ ${words})
    select w.id from matching w where ${own} and w.id < ${newest.lowest} and ${isShown}
    order by w.id desc limit ${count - found.length}`
  return [...found, ...older.map(({ id }) => id)]
}

const readHits = async (sql: Sql, scope: Scope<'chats:read'>, ids: string[]): Promise<HitRow[]> =>
  ids.length === 0
    ? []
    : await sql<HitRow[]>`
        select w.id, w.chat_id, c.title, m.role,
          coalesce(left(m.content, ${INDEXED_CHARACTERS_MAX}), c.title) as text,
          coalesce(m.created_at, c.created_at) as created_at
        from chat_words w
        join chats c
          on c.organization_id = w.organization_id and c.user_id = w.user_id and c.id = w.chat_id
        left join chat_messages m on m.chat_id = w.chat_id and m.id = w.id
        where w.organization_id = ${scope.organizationId} and w.user_id = ${scope.userId}
          and w.id = any(${ids}::uuid[])
        order by w.id desc`

const viewHit = (row: HitRow, query: SearchQuery): Hit => ({
  chat_id: row.chat_id,
  title: row.title,
  message_id: row.role === null ? null : row.id,
  role: row.role,
  ...makeSnippet(row.text, query),
  created_at: new Date(row.created_at).toISOString(),
})
