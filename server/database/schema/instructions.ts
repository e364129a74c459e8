import { pgTable, text, unique, uuid } from '../drizzle.ts'
import { users } from './auth.ts'
import { createdAt, id, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

/** Saved instructions that guide replies. Each belongs to one user in one organization. */
export const instructions = pgTable(
  'instructions',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    content: text('content').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('instructions_owner').on(table.organizationId, table.userId, table.id),
    unique('instructions_name').on(table.organizationId, table.userId, table.name),
  ],
)
