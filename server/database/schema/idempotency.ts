import { bigint, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { users } from './auth.ts'
import { createdAt, moment } from './columns.ts'

/** Requests with an Idempotency-Key and their stored answers; kept for a day (contract, 5). */
export const idempotentRequests = pgTable(
  'idempotent_requests',
  {
    /** The caller: a user, a visitor of a deployment, or, for routes without authentication, the request itself. */
    owner: text('owner').notNull(),
    route: text('route').notNull(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    /** The quota that the row counts toward: a user, a deployment or a network. */
    quota: text('quota').notNull(),
    /** The row is deleted with this user. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The process that executes the request's effects outside the database. Null once it is answered. */
    instanceId: uuid('instance_id'),
    /** The answer, encrypted. Null while the request is in progress, and after a large answer was dropped. */
    answer: text('answer'),
    answeredAt: moment('answered_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.route, table.key] }),
    index().on(table.createdAt),
    index().on(table.userId),
    index().on(table.quota, table.createdAt),
    // The size in the condition is LARGE_ANSWER_BYTES (platform/idempotency/stored-requests.ts).
    index('idempotent_requests_large').on(table.answeredAt).where(sql`octet_length(${table.answer}) > 65536`),
  ],
)

/** The number and size of each quota's rows. Triggers keep both exact. */
export const idempotencyQuotas = pgTable('idempotency_quotas', {
  quota: text('quota').primaryKey(),
  requests: integer('requests').notNull(),
  /** The size of all stored answers. */
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
})
