import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, described, idOf, OrgId, PageQuery } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { listDeliveries, redeliver, testWebhook } from './manage-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './manage-webhooks.ts'
import * as schemas from './schemas.ts'
import type { Sender } from './sender.ts'

const OneWebhook = Type.Object({ webhook_id: idOf('the webhook') })
const ofWebhook = { permission: 'organization:admin', orgOf: { webhook: 'webhook_id' } } as const

/** Routes that manage webhook endpoints and their deliveries (docs/webhooks.md). */
export const webhookRoutes = (services: Services, sender: Sender): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/webhooks/create',
    summary: 'Add a webhook',
    description:
      'Sends events of the given types to the URL, signed as in Standard Webhooks. The secret is returned once. ' +
      'An organization can have at most 20 webhooks.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: schemas.NewWebhook,
    example: {
      url: 'https://www.fernhill.example/hooks/parley',
      description: 'Warns us before the credits run out.',
      event_types: ['billing.credits_low'],
    },
    effects: 'database',
    reply: [201, schemas.WebhookWithSecret],
    errors: ['org.not_found', 'webhook.url_invalid', 'webhook.too_many'],
    handler: ({ scope, body }) => createWebhook(services, scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/webhooks/list',
    summary: 'List the webhooks of an organization, newest first',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
    reply: [200, schemas.WebhookPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listWebhooks(scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/webhooks/update',
    summary: 'Change, disable or enable a webhook',
    access: ofWebhook,
    query: OneWebhook,
    body: schemas.WebhookChange,
    example: { is_enabled: true },
    effects: 'database',
    current: async ({ scope, query }) => schemas.viewWebhook(await findWebhook(scope, query.webhook_id)),
    reply: [200, schemas.WebhookView],
    errors: ['webhook.not_found', 'webhook.url_invalid'],
    handler: ({ scope, query, body }) => updateWebhook(services, scope, query.webhook_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/webhooks/delete',
    summary: 'Delete a webhook with its deliveries',
    access: ofWebhook,
    query: OneWebhook,
    effects: 'database',
    reply: confirms('Webhook deleted'),
    errors: ['webhook.not_found'],
    async handler({ scope, query }) {
      await deleteWebhook(scope, query.webhook_id)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/webhooks/rotate_secret',
    summary: "Rotate a webhook's secret",
    description:
      'For 24 hours, the previous secret signs beside the new one: `webhook-signature` has both signatures.',
    access: ofWebhook,
    query: OneWebhook,
    effects: 'database',
    reply: [200, schemas.WebhookWithSecret],
    errors: ['webhook.not_found'],
    handler: ({ scope, query }) => rotateSecret(services, scope, query.webhook_id),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/webhooks/test',
    summary: 'Send a test event',
    description:
      'Sends a webhook.test event to this webhook once and returns the result. If other deliveries to it are in ' +
      'progress, it is sent after them and the status is still pending.',
    access: ofWebhook,
    query: OneWebhook,
    effects: 'outside',
    reply: [200, schemas.DeliveryView],
    errors: ['webhook.not_found', 'webhook.disabled'],
    handler: ({ scope, query }) => testWebhook(sender, scope, query.webhook_id),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/webhooks/deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Deliveries are kept for 30 days.',
    access: ofWebhook,
    query: Type.Object({
      ...OneWebhook.properties,
      status: Type.Optional(described(schemas.DeliveryStatus, 'Filter by status.')),
      event_type: Type.Optional(described(schemas.DeliveryType, 'Filter by event type.')),
      ...PageQuery,
    }),
    reply: [200, schemas.DeliveryPage],
    errors: ['webhook.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listDeliveries(scope, query),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/webhooks/redeliver',
    summary: 'Redeliver an event',
    description:
      'Also works for a delivered event. The `webhook-id` stays the same, and its attempts start over.',
    access: ofWebhook,
    query: Type.Object({ ...OneWebhook.properties, delivery_id: schemas.DeliveryId }),
    effects: 'database',
    reply: [200, schemas.DeliveryView],
    errors: ['webhook.not_found', 'webhook.delivery_not_found', 'webhook.disabled'],
    handler: ({ scope, query }) => redeliver(sender, scope, query.webhook_id, query.delivery_id),
  }),
]
