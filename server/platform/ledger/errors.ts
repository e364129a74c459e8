import { defineErrors } from '#errors/define.ts'

export const LEDGER_ERRORS = defineErrors({
  'org.daily_chat_limit': [
    429,
    'This organization has sent as many messages today as it may. It goes on at midnight (UTC).',
  ],
  'billing.insufficient_credits': [402, 'Insufficient credits to use this model.'],
  'billing.budget_exceeded': [
    402,
    'The budget of {whose} for this month is used up. It begins anew on {day} (UTC).',
  ],
  'billing.transfer_too_large': [
    402,
    'Transfer at most {available} credits: that is what the giving organization has available.',
  ],

  'usage.from_after_to': 'from must not be after to',
  'usage.too_many_days': 'from and to must be at most {limit} days apart',
  'usage.date': '{field} must be a date such as 2026-01-31',
})
