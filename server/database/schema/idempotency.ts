import { bigint, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
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
    /** On whose quota the row counts: a user, a deployment or a network. */
    quota: text('quota').notNull(),
    /** With whom the row goes. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The process that works on it outside the database; null once it is answered. */
    instanceId: uuid('instance_id'),
    /** The answer, encrypted; null while it is worked on, and once a large one was dropped. */
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
  /** Of answers. */
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
})
