import { defineErrors } from '#errors/define.ts'

export const LEDGER_ERRORS = defineErrors({
  'org.daily_chat_limit': [
    429,
    'This organization has reached its daily message limit. Try again after midnight (UTC), or ask a system administrator for a higher limit.',
  ],
  'billing.insufficient_credits': [402, 'Insufficient credits to use this model.'],
  'billing.key_budget_exceeded': [
    402,
    'The monthly budget of this API key is used up. It resets on {day} (UTC). An administrator can raise it.',
  ],
  'billing.member_budget_exceeded': [
    402,
    'The monthly budget of this member is used up. It resets on {day} (UTC). An administrator can raise it.',
  ],
  'billing.key_requests_exceeded': [
    429,
    'This API key has reached its limit of requests per minute. Try again in the next minute.',
  ],
  'billing.key_tokens_exceeded': [
    429,
    'This API key has reached its limit of tokens per minute. Try again in the next minute.',
  ],
  'billing.member_requests_exceeded': [
    429,
    'This member has reached their limit of requests per minute. Try again in the next minute.',
  ],
  'billing.member_tokens_exceeded': [
    429,
    'This member has reached their limit of tokens per minute. Try again in the next minute.',
  ],
  'billing.model_requests_exceeded': [
    429,
    'This model has reached its limit of requests per minute. Try again in the next minute.',
  ],
  'billing.model_tokens_exceeded': [
    429,
    'This model has reached its limit of tokens per minute. Try again in the next minute.',
  ],
  'billing.transfer_too_large': [
    402,
    'The sending organization has only {available} credits available. Transfer at most {available} credits.',
  ],

  'usage.from_after_to': 'The date in from must not be later than the date in to.',
  'usage.too_many_days': 'The dates in from and to must be at most {limit} days apart.',
  'usage.date': '{field} must be a date such as 2026-01-31.',
})
