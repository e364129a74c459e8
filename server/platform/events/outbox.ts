import type { ISql, PendingQuery, Row } from 'postgres'

/** The event types that webhooks can subscribe to. */
export const WEBHOOK_EVENT_TYPES = [
  'agent_deployment.status_changed',
  'conversation.updated',
  'billing.debited',
  'billing.credits_low',
  'knowledge_base.ingestion_completed',
  'knowledge_base.ingestion_failed',
] as const

export interface WebhookEvent {
  type: (typeof WEBHOOK_EVENT_TYPES)[number]
  data: Record<string, unknown>
}

/*
 * An event is queued in the transaction of the change that it reports. The database function
 * `queue_webhook_deliveries` (migration 0024) inserts a delivery for each subscribed endpoint.
 *
 * The function numbers the deliveries of an endpoint while it holds a lock on the endpoint's row until the commit.
 * Numbers and due times therefore have no gaps and follow the order of commits. Transactions take all other locks
 * before this lock.
 */

/**
 * SQL for a column that queues an event for each row of `announced`, in the order of `ordinal`. The statement's WITH
 * list must contain `announced` (organization_id, event_type, data jsonb, ordinal). The statement must return a row.
 * Otherwise the column is not evaluated, and nothing is queued.
 */
export const queueAnnounced = (sql: ISql): PendingQuery<Row[]> => sql`
  (select queue_webhook_deliveries(jsonb_agg(to_jsonb(announced))) from announced having count(*) > 0)`

/** Returns an organization's events as JSON for the database function `queue_webhook_deliveries`. */
export const eventsAsJson = (organizationId: string, events: readonly WebhookEvent[]): string =>
  JSON.stringify(
    events.map(({ type, data }, ordinal) => ({
      organization_id: organizationId,
      event_type: type,
      data,
      ordinal,
    })),
  )
