import type { ISql, PendingQuery, Row } from 'postgres'

/** What endpoints can subscribe to (spec, Other events; contract, 11). */
export const WEBHOOK_EVENT_TYPES = [
  'agent_deployment.status_changed',
  'conversation.updated',
  'billing.debited',
  'billing.credits_low',
  'knowledge_base.ingestion_completed',
  'knowledge_base.ingestion_failed',
] as const

/** Something that has happened in an organization. */
export interface WebhookEvent {
  type: (typeof WEBHOOK_EVENT_TYPES)[number]
  data: Record<string, unknown>
}

/*
 * An event is written with what it tells of, or not at all, for each endpoint that has subscribed to it. The database's
 * function `queue_webhook_deliveries` does it (migration 0024): it numbers an endpoint's events under its row's lock,
 * which is held until the commit, so their numbers have no gaps, and follow the order of the commits; and so does when
 * they are due. Whoever locks other rows does so before.
 */

/**
 * A column of the statement whose WITH list has `announced` (organization_id, event_type, data jsonb, ordinal): queues an
 * event for each of its rows, in the order of `ordinal`. The statement has to have a row, or nothing is queued.
 */
export const queueAnnounced = (sql: ISql): PendingQuery<Row[]> => sql`
  (select queue_webhook_deliveries(jsonb_agg(to_jsonb(announced))) from announced having count(*) > 0)`

/** Events of an organization as the database's function takes them. */
export const eventsAsJson = (organizationId: string, events: readonly WebhookEvent[]): string =>
  JSON.stringify(
    events.map(({ type, data }, ordinal) => ({
      organization_id: organizationId,
      event_type: type,
      data,
      ordinal,
    })),
  )
