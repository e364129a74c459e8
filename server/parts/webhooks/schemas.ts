import Type, { type Static } from 'typebox'
import type { webhookDeliveries, webhookEndpoints } from '#database/schema/webhooks.ts'
import { WEBHOOK_EVENT_TYPES } from '#platform/events/outbox.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  described,
  Enum,
  idOf,
  matching,
  Nullable,
  ObjectId,
  OrganizationId,
  PageOf,
  Timestamp,
  UpdatedAt,
} from '#platform/http/schemas.ts'

/** Event type of test deliveries. Endpoints cannot subscribe to it. */
export const TEST_EVENT_TYPE = 'webhook.test'
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]
const DELIVERY_ID_PREFIX = 'msg_'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'HTTP or HTTPS URL without credentials. Redirects are not followed.',
})
const Description = Type.String({ maxLength: 500, description: 'Description for people.' })
const EventTypes = Type.Array(Enum(WEBHOOK_EVENT_TYPES), {
  minItems: 1,
  maxItems: WEBHOOK_EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Event types to deliver.',
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
      description:
        'Whether events are delivered. Disabling fails pending deliveries. Enabling resets the failure state.',
    }),
  ),
})
export type WebhookChange = Static<typeof WebhookChange>

const webhook = {
  id: ObjectId,
  organization_id: OrganizationId,
  url: Type.String({ description: 'URL that receives the events.' }),
  description: Type.String({ description: 'Description for people.' }),
  event_types: Type.Array(Enum(WEBHOOK_EVENT_TYPES), { description: 'Event types to deliver.' }),
  is_enabled: Type.Boolean({ description: 'Whether events are delivered.' }),
  disabled_reason: Nullable(
    Type.String({ description: 'Reason why Parley disabled the webhook; null otherwise.' }),
  ),
  failing_since: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when all deliveries have failed; null if they succeed.',
    }),
  ),
  created_by: CreatedBy,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
export const WebhookView = Type.Object(webhook, { title: 'Webhook' })
export type WebhookView = Static<typeof WebhookView>
export const WebhookPage = PageOf(WebhookView, 'WebhookPage')

export const WebhookWithSecret = Type.Object(
  {
    ...webhook,
    secret: Type.String({ description: 'Signing secret, returned once: `whsec_` and 32 bytes in base64.' }),
  },
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const DeliveryId = Type.String({
  ...matching(
    `^${DELIVERY_ID_PREFIX}[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$`,
    'must be msg_ followed by a UUID',
  ),
  maxLength: 40,
  description: 'ID of the delivery: the `webhook-id` header of each attempt.',
})
export const DeliveryStatus = Enum(['pending', 'delivered', 'failed'], {
  description: 'Status of the delivery.',
})
export const DeliveryType = Enum([...WEBHOOK_EVENT_TYPES, TEST_EVENT_TYPE], {
  description: 'Type of the event.',
})

const Attempt = Type.Object({
  at: described(Timestamp, 'When the attempt started.'),
  duration_ms: Type.Integer({ description: 'Duration of the attempt, in milliseconds.' }),
  response_status: Nullable(
    Type.Integer({ description: 'HTTP status of the response; null if there was none.' }),
  ),
  error: Nullable(Type.String({ description: 'Reason why the attempt failed; null if it did not.' })),
})

export const DeliveryView = Type.Object(
  {
    id: Type.String({ description: 'ID of the delivery: the `webhook-id` header of each attempt.' }),
    webhook_id: idOf('the webhook'),
    organization_id: OrganizationId,
    event_type: Type.String({ description: 'Type of the event.' }),
    sequence: Type.Integer({ description: 'Sequence number of the event at this webhook, without gaps.' }),
    status: DeliveryStatus,
    attempts: Type.Array(Attempt, { description: 'The last 20 attempts, oldest first.' }),
    next_attempt_at: Nullable(described(Timestamp, 'When the next attempt is due; null if there is none.')),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'Data of the event.' }),
    created_at: CreatedAt,
  },
  { title: 'WebhookDelivery' },
)
export type DeliveryView = Static<typeof DeliveryView>
export const DeliveryPage = PageOf(DeliveryView, 'WebhookDeliveryPage')

export type WebhookRow = typeof webhookEndpoints.$inferSelect
export type DeliveryRow = typeof webhookDeliveries.$inferSelect

/** Converts a delivery's id to the message id shown to receivers and API clients. */
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
