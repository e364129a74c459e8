import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  unique,
  uuid,
} from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

/** Endpoints that receive an organization's events. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    description: text('description').notNull().default(''),
    eventTypes: text('event_types').array().notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    /** Why the server disabled the endpoint. Null if a user disabled it or it is enabled. */
    disabledReason: text('disabled_reason'),
    /** The signing secret, encrypted. */
    secret: text('secret').notNull(),
    /**
     * The previous signing secret, encrypted. Until `previous_secret_until`, deliveries are signed with both secrets.
     */
    previousSecret: text('previous_secret'),
    previousSecretUntil: moment('previous_secret_until'),
    /** The start of the current series of failed deliveries. Null if the last delivery succeeded. */
    failingSince: moment('failing_since'),
    /** The sequence number of the endpoint's latest event. Numbers have no gaps and follow the commit order. */
    lastSequence: bigint('last_sequence', { mode: 'number' }).notNull().default(0),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('webhook_endpoints_organization').on(table.organizationId, table.id),
    index('webhook_endpoints_disabled').on(table.id).where(sql`not ${table.isEnabled}`),
  ],
)

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  at: string
  duration_ms: number
  /** The HTTP status. Null if there was no response. */
  response_status: number | null
  error: string | null
}

/**
 * Events to deliver to an endpoint. A delivery is written in the same transaction as the change that it reports
 * (platform/events/outbox.ts).
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    eventType: text('event_type').notNull(),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    status: text('status', { enum: ['pending', 'delivered', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: jsonb('attempts').$type<WebhookAttempt[]>().notNull().default([]),
    /** Number of attempts since the delivery was last queued. A redelivery resets it to 0. */
    tries: integer('tries').notNull().default(0),
    /**
     * When the next attempt is due. Null if no automatic attempt follows. A worker that claims the delivery postpones
     * this time by more than an attempt can take.
     */
    nextAttemptAt: moment('next_attempt_at').default(sql`now()`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('webhook_deliveries_sequence').on(table.endpointId, table.sequence),
    // Starts with the endpoint, so that a query for due deliveries doesn't scan the deliveries of other endpoints.
    index('webhook_deliveries_due')
      .on(table.endpointId, table.nextAttemptAt, table.sequence)
      .where(sql`${table.status} = 'pending'`),
    index('webhook_deliveries_status').on(table.endpointId, table.status, table.sequence),
    index('webhook_deliveries_age').on(table.createdAt),
    foreignKey({
      name: 'webhook_deliveries_endpoint',
      columns: [table.organizationId, table.endpointId],
      foreignColumns: [webhookEndpoints.organizationId, webhookEndpoints.id],
    }).onDelete('cascade'),
  ],
)
