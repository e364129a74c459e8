import { defineErrors } from '#errors/define.ts'

export const WEBHOOKS_ERRORS = defineErrors({
  'webhook.not_found': [404, 'Webhook not found'],
  'webhook.delivery_not_found': [404, 'Webhook delivery not found'],
  'webhook.url_invalid': [400, '{reason}'],
  'webhook.too_many': [400, 'An organization can have at most {limit} webhooks. Delete one first.'],
  'webhook.disabled': [409, 'This webhook is disabled. Enable it first.'],

  'webhook.was_disabled': 'The webhook was disabled before this event was delivered.',
  'webhook.gone': 'The endpoint responded with 410 Gone.',
  'webhook.failing': 'No delivery has succeeded for {days} days.',
  'webhook.status': 'The endpoint responded with {status}.',
  'webhook.redirect': 'The endpoint responded with {status}. Redirects are not followed.',
})
