import type { Catalogue } from './catalogue.ts'

export const ACCOUNTS_ERRORS = {
  'billing.insufficient_credits': [402, 'Insufficient credits to use this model.'],
  'billing.budget_exceeded': [
    402,
    'The budget of {whose} for this month is used up. It begins anew on {day} (UTC).',
  ],
  'billing.transfer_too_large': [
    402,
    'Transfer at most {available} credits: that is what the giving organization has available.',
  ],
  'billing.budget_not_found': [404, 'Budget not found'],

  'webhook.not_found': [404, 'Webhook not found'],
  'webhook.delivery_not_found': [404, 'Webhook delivery not found'],
  'webhook.url_invalid': [400, '{reason}'],
  'webhook.too_many': [400, 'An organization has at most {limit} webhooks: delete one first'],
  'webhook.disabled': [409, 'This webhook is disabled: enable it first'],

  'import.damaged': [400, 'This is no export that can be imported: {reason}'],
  'import.too_large': [400, 'This export is too large to be imported. {reason}'],
  'import.incomplete': [400, 'This export is not complete. {reason}'],
  'import.invalid': [400, '{location}: {reason}'],
  'import.under_way': [409, 'Another import is under way. Try again when it has ended'],
  'import.daily_bytes': [429, 'You have sent {limit} bytes of imports within a day. Try again in {wait}.'],

  'export.under_way': [
    409,
    'You have an export under way. Wait until it ends, or cancel it, then try again.',
  ],
  'export.busy': [503, 'This server is sending {limit} exports, which is its limit. Try again in a moment.'],
} as const satisfies Catalogue
