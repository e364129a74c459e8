import Type, { type Static } from 'typebox'
import { HIGHEST_ID } from '#database/new-id.ts'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { CreatedAt, Enum, idOf, Nullable, OrgId, PageOf, PageQuery, Uuid } from '#platform/http/schemas.ts'
import { makeSnippet } from './make-snippet.ts'
import { parseQuery, type SearchQuery, toTsQuery } from './search-query.ts'
import { INDEXED_CHARACTERS_MAX, ownerMark } from './words.ts'

/** Maximum number of newest entries that are checked one by one before the index is used. */
const NEWEST = 300
/** Maximum bytes of text on a page. Limited because each text is scanned for its snippet. */
const PAGE_BYTES = 2_000_000

export const ChatSearch = Type.Object({
  org_id: OrgId,
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Search text, such as `plan "next summer" -work`.',
  }),
  ...PageQuery,
})
type ChatSearch = Static<typeof ChatSearch>

const Hit = Type.Object(
  {
    chat_id: idOf('the chat'),
    title: Type.String({ description: 'Title of the chat.' }),
    message_id: Type.Unsafe<string | null>({
      ...Nullable(Uuid),
      description: 'ID of the message; null if the title of the chat matches.',
    }),
    role: Nullable(
      Enum(['user', 'assistant'], {
        description: 'Author of the message; null if the title of the chat matches.',
      }),
    ),
    snippet: Type.String({ description: 'Plain text around the first match.' }),
    highlights: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'Start of the range.' }),
        end: Type.Integer({ description: 'End of the range, exclusive.' }),
      }),
      {
        description: 'Ranges of the matches within the snippet, in UTF-16 code units.',
      },
    ),
    created_at: CreatedAt,
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
  bytes: number
  created_at: string
}

/**
 * Searches messages and titles of the caller's chats, newest first. Includes archived chats and inactive branches.
 * Throws chat.search_empty.
 */
export function searchChats(
  scope: Scope<'chats:read'>,
  query: Omit<ChatSearch, 'org_id'>,
): Promise<Page<Hit>> {
  const searchQuery = parseQuery(query.q)
  return readPage(
    query,
    async (below, count) => readHits(scope, await findHits(scope, { searchQuery, below, count })),
    (row) => viewHit(row, searchQuery),
    { max: PAGE_BYTES, of: ({ bytes }) => bytes },
  )
}

/**
 * Returns the ids of the hits. First checks the newest entries one by one: a frequent word often fills the page from
 * them, whereas the index would return and sort all its matches. Uses the index only if the page isn't full. Compares
 * owner and id as a row for the reason given in isAmongNewest (read-branch.ts). In the same way, `coalesce` hides from
 * the planner that the owner has an index, which would read all entries of the owner.
 */
async function findHits(
  scope: Scope<'chats:read'>,
  { searchQuery, below, count }: { searchQuery: SearchQuery; below: string | undefined; count: number },
): Promise<string[]> {
  const { sql } = scope
  const words = sql`${toTsQuery(ownerMark(scope), searchQuery)}::tsquery`
  const own = sql`w.organization_id = ${scope.organizationId} and w.user_id = ${scope.userId}`
  const isOwn = sql`coalesce((w.organization_id, w.user_id) = (${scope.organizationId}, ${scope.userId}), false)`
  const isShown = sql`exists (
    select from chats c where c.organization_id = w.organization_id and c.user_id = w.user_id and c.id = w.chat_id
      and c.status <> 'DELETED' and not c.is_conversation and (w.title is null or w.title = c.title))`
  const [newest] = await sql<{ found: string[]; lowest: string | null; seen: number }[]>`
    with newest as materialized (
      select w.id, w.organization_id, w.user_id, w.chat_id, w.title, w.words from chat_words w
      where (w.organization_id, w.user_id, w.id)
        < (${scope.organizationId}::uuid, ${scope.userId}::uuid, ${below ?? HIGHEST_ID}::uuid)
        and (w.organization_id, w.user_id)
          >= ((select ${scope.organizationId}::uuid), (select ${scope.userId}::uuid))
        and ${isOwn}
      order by w.organization_id desc, w.user_id desc, w.id desc limit ${NEWEST}),
    own as (select * from newest w where ${own})
    select count(*)::int as seen, (select id from own order by id limit 1) as lowest,
      array(select w.id from own w where w.words @@ ${words} and ${isShown}
        order by w.id desc limit ${count}) as found
    from own`
  const found = newest?.found ?? []
  if (found.length === count || newest?.lowest == null || newest.seen < NEWEST) return found
  const older = await sql<{ id: string }[]>`
    with matching as materialized (
      select w.id, w.organization_id, w.user_id, w.chat_id, w.title from chat_words w
      where w.words @@ ${words} and ${isOwn})
    select w.id from matching w where w.id < ${newest.lowest} and ${own} and ${isShown}
    order by w.id desc limit ${count - found.length}`
  return [...found, ...older.map(({ id }) => id)]
}

/**
 * Reads the hits. Beyond the byte limit of a page, text is empty. `hits` is materialized, so that PostgreSQL begins
 * with the ids and not with all chats of the owner. With `limit 1`, it finds a message by its id, and does not read its
 * whole chat.
 */
const readHits = async (scope: Scope<'chats:read'>, ids: string[]): Promise<HitRow[]> =>
  ids.length === 0
    ? []
    : await scope.sql<HitRow[]>`
        with hits as materialized (
          select w.id, w.organization_id, w.user_id, w.chat_id from chat_words w
          where w.id = any(${ids}::uuid[])
            and coalesce((w.organization_id, w.user_id) = (${scope.organizationId}, ${scope.userId}), false))
        select id, chat_id, title, role, created_at, bytes,
          case when bytes_before < ${PAGE_BYTES} then left(text, ${INDEXED_CHARACTERS_MAX}) else '' end as text
        from (
          select found.*, octet_length(text) as bytes,
            sum(octet_length(text)) over (order by id desc) - octet_length(text) as bytes_before
          from (
            select w.id, w.chat_id, c.title, m.role, coalesce(m.created_at, c.created_at) as created_at,
              coalesce(m.content, c.title) as text
            from hits w
            join chats c
              on c.organization_id = w.organization_id and c.user_id = w.user_id and c.id = w.chat_id
            left join lateral (
              select role, content, created_at from chat_messages m
              where m.chat_id = w.chat_id and m.id = w.id
                and coalesce((m.organization_id, m.user_id) = (${scope.organizationId}, ${scope.userId}), false)
              limit 1) m on true) found) measured
        order by id desc`

const viewHit = (row: HitRow, query: SearchQuery): Hit => ({
  chat_id: row.chat_id,
  title: row.title,
  message_id: row.role === null ? null : row.id,
  role: row.role,
  ...makeSnippet(row.text, query),
  created_at: new Date(row.created_at).toISOString(),
})
