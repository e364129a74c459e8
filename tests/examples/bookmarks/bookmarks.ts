import Type, { type Static } from 'typebox'
import { desc, lt } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { Body, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { bookmarks } from './schema.ts'

const Url = Type.String({ format: 'uri', maxLength: 2_000 })

export const NewBookmark = Body({ url: Url })
export const BookmarkView = Type.Object({ id: Uuid, url: Url, created_at: Timestamp }, { title: 'Bookmark' })
type BookmarkView = Static<typeof BookmarkView>

const view = ({ id, url, createdAt }: typeof bookmarks.$inferSelect): BookmarkView => ({
  id,
  url,
  created_at: createdAt.toISOString(),
})

/** Saves a bookmark. The scope adds the organization and the user to the row. */
export const createBookmark = async (
  scope: Scope<'chats:write'>,
  { url }: Static<typeof NewBookmark>,
): Promise<BookmarkView> => view(await scope.insert(bookmarks, { id: newId(), url }))

/** Returns a page of the user's bookmarks, newest first. */
export const listBookmarks = (
  scope: Scope<'chats:read'>,
  query: { limit?: number; cursor?: string },
): Promise<Page<BookmarkView>> =>
  readPage(
    query,
    (below, count) =>
      scope.select(bookmarks, {
        where: below === undefined ? undefined : lt(bookmarks.id, below),
        orderBy: [desc(bookmarks.id)],
        limit: count,
      }),
    view,
  )
