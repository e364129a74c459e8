import type { Webhook } from '@parley/client/schemas'

export type EventType = Webhook['event_types'][number]

/** What a webhook can hear of, and what each means. */
export const EVENT_TYPES: readonly (readonly [type: EventType, text: string])[] = [
  ['conversation.updated', 'A conversation is created, renamed, archived, deleted, or has a new reply'],
  ['agent_deployment.status_changed', 'A deployment is paused or active again'],
  ['knowledge_base.ingestion_completed', 'All documents of a knowledge base are indexed'],
  ['knowledge_base.ingestion_failed', 'No document of a knowledge base could be indexed'],
  ['billing.debited', 'Something was paid with credits'],
  ['billing.credits_low', 'The credits fall below the warning'],
]

export const TEST_EVENT = 'webhook.test'
