import { defineErrors, notFound } from '#errors/define.ts'

export const WEBHOOKS_ERRORS = defineErrors({
  'webhook.not_found': notFound('Webhook not found', 'webhook_id'),
  'webhook.delivery_not_found': notFound('Webhook delivery not found', 'delivery_id'),
  'webhook.url_invalid': [400, '{reason}'],
  'webhook.too_many': [400, 'An organization can have at most {limit} webhooks. Delete one first.'],
  'webhook.disabled': [409, 'This webhook is disabled. Enable it first.'],

  'webhook.was_disabled':
    'The webhook was disabled before this event was delivered. Enable the webhook, then redeliver the event.',
  'webhook.gone': 'The endpoint responded with 410 Gone. Check the URL, then enable the webhook.',
  'webhook.failing': 'No delivery has succeeded for {days} days. Fix the endpoint, then enable the webhook.',
  'webhook.status': 'The endpoint responded with {status}. It must respond with a status from 200 to 299.',
  'webhook.redirect':
    'The endpoint responded with {status}. Redirects are not followed. Change the URL of the webhook.',
})
