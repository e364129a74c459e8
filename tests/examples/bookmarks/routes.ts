import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { PageOf, PageQuery, Uuid } from '#platform/http/schemas.ts'
import { BookmarkView, createBookmark, listBookmarks, NewBookmark } from './bookmarks.ts'

const InOrganization = Type.Object({ org_id: Uuid })

/** The bookmarks of the current user. */
export const bookmarkRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    url: '/api/bookmarks/create',
    summary: 'Save a bookmark',
    access: { permission: 'chats:write', orgOf: 'query' },
    query: InOrganization,
    body: NewBookmark,
    example: { url: 'https://example.com/tides' },
    effects: 'database',
    reply: [201, BookmarkView],
    errors: ['org.not_found'],
    handler: ({ scope, body }) => createBookmark(scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/bookmarks/list',
    summary: 'List your bookmarks, newest first',
    access: { permission: 'chats:read', orgOf: 'query' },
    query: Type.Object({ ...InOrganization.properties, ...PageQuery }),
    reply: [200, PageOf(BookmarkView, 'BookmarkPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listBookmarks(scope, query),
  }),
]
