import Type, { type Static } from 'typebox'
import type { webhookDeliveries, webhookEndpoints } from '#database/schema/webhooks.ts'
import { WEBHOOK_EVENT_TYPES } from '#platform/events/outbox.ts'
import { Body, Enum, matching, Nullable, PageOf, Timestamp, Uuid } from '#platform/http/schemas.ts'

/** What a person has sent to see whether an endpoint works. Nobody subscribes to it. */
export const TEST_EVENT_TYPE = 'webhook.test'
const DELIVERY_ID_PREFIX = 'msg_'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'http or https, without credentials. Redirects are not followed.',
})
const Description = Type.String({ maxLength: 500 })
const EventTypes = Type.Array(Enum(WEBHOOK_EVENT_TYPES), {
  minItems: 1,
  maxItems: WEBHOOK_EVENT_TYPES.length,
  uniqueItems: true,
})

export const NewWebhook = Body({
  url: Url,
  description: Type.Optional(Description),
  event_types: EventTypes,
})
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChange = Body({
  url: Type.Optional(Url),
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
  is_enabled: Type.Optional(
    Type.Boolean({
      description: 'What waits for a webhook that is disabled has failed. One that is enabled begins anew.',
    }),
  ),
})
export type WebhookChange = Static<typeof WebhookChange>

const webhook = {
  id: Uuid,
  organization_id: Uuid,
  url: Type.String(),
  description: Type.String(),
  event_types: Type.Array(Enum(WEBHOOK_EVENT_TYPES)),
  is_enabled: Type.Boolean(),
  disabled_reason: Nullable(Type.String({ description: 'Where Parley has disabled it' })),
  failing_since: Nullable(
    Type.String({ format: 'date-time', description: 'Since when nothing has arrived there' }),
  ),
  created_by: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const WebhookView = Type.Object(webhook, { title: 'Webhook' })
export type WebhookView = Static<typeof WebhookView>
export const WebhookPage = PageOf(WebhookView, 'WebhookPage')

export const WebhookWithSecret = Type.Object(
  {
    ...webhook,
    secret: Type.String({ description: 'Shown this once: whsec_ and 32 bytes in base64, to verify with' }),
  },
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const DeliveryId = Type.String({
  ...matching(
    `^${DELIVERY_ID_PREFIX}[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$`,
    'must be the id of a delivery, as deliveries lists it',
  ),
  maxLength: 40,
})
export const DeliveryStatus = Enum(['pending', 'delivered', 'failed'])
export const DeliveryType = Enum([...WEBHOOK_EVENT_TYPES, TEST_EVENT_TYPE])

const Attempt = Type.Object({
  at: Timestamp,
  duration_ms: Type.Integer(),
  response_status: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
})

export const DeliveryView = Type.Object(
  {
    id: Type.String({ description: 'The webhook-id of every try' }),
    webhook_id: Uuid,
    organization_id: Uuid,
    event_type: Type.String(),
    sequence: Type.Integer({ description: "The event's number at this endpoint: they have no gaps" }),
    status: DeliveryStatus,
    attempts: Type.Array(Attempt, { description: 'The last 20, oldest first' }),
    next_attempt_at: Nullable(Timestamp),
    data: Type.Record(Type.String(), Type.Unknown()),
    created_at: Timestamp,
  },
  { title: 'WebhookDelivery' },
)
export type DeliveryView = Static<typeof DeliveryView>
export const DeliveryPage = PageOf(DeliveryView, 'WebhookDeliveryPage')

export type WebhookRow = typeof webhookEndpoints.$inferSelect
export type DeliveryRow = typeof webhookDeliveries.$inferSelect

/** As receivers and the API know a delivery. */
export const messageIdOf = (deliveryId: string): string => DELIVERY_ID_PREFIX + deliveryId
export const deliveryIdOf = (messageId: string): string => messageId.slice(DELIVERY_ID_PREFIX.length)

export const viewWebhook = (row: WebhookRow): WebhookView => ({
  id: row.id,
  organization_id: row.organizationId,
  url: row.url,
  description: row.description,
  event_types: row.eventTypes as WebhookView['event_types'],
  is_enabled: row.isEnabled,
  disabled_reason: row.disabledReason,
  failing_since: row.failingSince?.toISOString() ?? null,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const viewDelivery = (row: DeliveryRow): DeliveryView => ({
  id: messageIdOf(row.id),
  webhook_id: row.endpointId,
  organization_id: row.organizationId,
  event_type: row.eventType,
  sequence: row.sequence,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
  data: row.data,
  created_at: row.createdAt.toISOString(),
})
