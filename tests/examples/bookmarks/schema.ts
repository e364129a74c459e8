import { pgTable, text, unique, uuid } from '#database/drizzle.ts'
import { users } from '#database/schema/auth.ts'
import { createdAt, id } from '#database/schema/columns.ts'
import { organizations } from '#database/schema/org.ts'

/** Pages that a user bookmarks in an organization. */
export const bookmarks = pgTable(
  'bookmarks',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    createdAt: createdAt(),
  },
  (table) => [unique('bookmarks_owner').on(table.organizationId, table.userId, table.id)],
)
