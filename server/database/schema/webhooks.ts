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

/** Where an organization wants to hear of its events. */
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
    /** Why nothing is sent any more, where that was not a person's wish. */
    disabledReason: text('disabled_reason'),
    /** Encrypted. */
    secret: text('secret').notNull(),
    /** The one before, which signs beside the new one for a while; encrypted. */
    previousSecret: text('previous_secret'),
    previousSecretUntil: moment('previous_secret_until'),
    /** Since when nothing has arrived; null: the last delivery did. */
    failingSince: moment('failing_since'),
    /** The number of its last event: they have no gaps, and follow the order of the commits. */
    lastSequence: bigint('last_sequence', { mode: 'number' }).notNull().default(0),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [unique('webhook_endpoints_organization').on(table.organizationId, table.id)],
)

/** One try to deliver an event. */
export interface WebhookAttempt {
  at: string
  duration_ms: number
  /** Null: there was no answer. */
  response_status: number | null
  error: string | null
}

/** Events on their way to an endpoint, written with the change that they tell of (platform/events/outbox.ts). */
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
    /** Tries since it was last to be delivered: a redelivery begins anew. */
    tries: integer('tries').notNull().default(0),
    /** When it is tried next; null: not by itself. Claiming one puts it off for longer than a try takes. */
    nextAttemptAt: moment('next_attempt_at').default(sql`now()`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('webhook_deliveries_sequence').on(table.endpointId, table.sequence),
    // By endpoint, so that what is due of one is found without looking at what waits of the others.
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
