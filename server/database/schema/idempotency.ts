import { bigint, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { users } from './auth.ts'
import { createdAt, moment } from './columns.ts'

/** Requests with an Idempotency-Key, and their stored responses. Rows are kept for a day. */
export const idempotentRequests = pgTable(
  'idempotent_requests',
  {
    /**
     * The owner of the key: a user or a deployment's visitor. For routes without authentication, derived from the
     * request itself.
     */
    owner: text('owner').notNull(),
    route: text('route').notNull(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    /** The quota that the row counts toward: a user, a deployment or a network. */
    quota: text('quota').notNull(),
    /** The user who sent the request, or null. Deleting the user deletes this row. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /**
     * The server process that performs the request's side effects outside the database. Null if there are no such
     * effects, and after a response is stored.
     */
    instanceId: uuid('instance_id'),
    /** The response, encrypted. Null while the request is in progress, and after a large response has been deleted. */
    answer: text('answer'),
    answeredAt: moment('answered_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.route, table.key] }),
    index().on(table.createdAt),
    index().on(table.userId),
    index().on(table.quota, table.createdAt),
    // Must use the value of LARGE_ANSWER_BYTES (platform/idempotency/stored-requests.ts).
    index('idempotent_requests_large').on(table.answeredAt).where(sql`octet_length(${table.answer}) > 65536`),
  ],
)

/** The number and total size of the stored requests in each quota. Triggers keep both values exact. */
export const idempotencyQuotas = pgTable('idempotency_quotas', {
  quota: text('quota').primaryKey(),
  requests: integer('requests').notNull(),
  /** Total size of the quota's stored responses. */
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
})
