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

/** An event in an organization. */
export interface WebhookEvent {
  type: (typeof WEBHOOK_EVENT_TYPES)[number]
  data: Record<string, unknown>
}

/*
 * Events are written in the transaction of their change, for each subscribed endpoint, by the database function
 * `queue_webhook_deliveries` (migration 0024). It numbers an endpoint's events under the lock of its row, which is held
 * until the commit. So numbers and due times have no gaps and follow commit order. Transactions take all other locks
 * before this one.
 */

/**
 * A column for a statement whose WITH list has `announced` (organization_id, event_type, data jsonb, ordinal). Queues
 * an event for each row, in the order of `ordinal`. The statement must return a row, or nothing is queued.
 */
export const queueAnnounced = (sql: ISql): PendingQuery<Row[]> => sql`
  (select queue_webhook_deliveries(jsonb_agg(to_jsonb(announced))) from announced having count(*) > 0)`

/** Returns an organization's events in the form that the database function expects. */
export const eventsAsJson = (organizationId: string, events: readonly WebhookEvent[]): string =>
  JSON.stringify(
    events.map(({ type, data }, ordinal) => ({
      organization_id: organizationId,
      event_type: type,
      data,
      ordinal,
    })),
  )
