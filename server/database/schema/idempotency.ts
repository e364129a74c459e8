import { index, pgTable, primaryKey, text, uuid } from '../drizzle.ts'
import { users } from './auth.ts'
import { createdAt, moment } from './columns.ts'

/** Requests that were sent with an Idempotency-Key, and how they were answered; kept for a day (contract, 5). */
export const idempotentRequests = pgTable(
  'idempotent_requests',
  {
    /** Who asks: a user, a visitor of a deployment, or, where nobody has to be known, the request itself. */
    owner: text('owner').notNull(),
    route: text('route').notNull(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    /** With whom the row goes. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The process that works on it outside the database; null once it is answered. */
    instanceId: uuid('instance_id'),
    /** The answer, encrypted; null while it is worked on. */
    answer: text('answer'),
    answeredAt: moment('answered_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.route, table.key] }),
    index().on(table.createdAt),
    index().on(table.userId),
  ],
)
