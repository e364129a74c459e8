import type { Webhook } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'

const t = translator('webhooks')

export type EventType = Webhook['event_types'][number]

export const EVENT_TYPES = [
  'conversation.updated',
  'agent_deployment.status_changed',
  'knowledge_base.ingestion_completed',
  'knowledge_base.ingestion_failed',
  'billing.debited',
  'billing.credits_low',
] as const satisfies readonly EventType[]

/** Returns a sentence that says when events of a type occur. */
export const eventText = (type: (typeof EVENT_TYPES)[number]): string => t(`event.${type}`)

export const TEST_EVENT = 'webhook.test'
