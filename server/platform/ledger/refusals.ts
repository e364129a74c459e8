import { type AppError, fail } from '#errors'
import { nextMonth, secondsToMidnight, secondsToNextMinute } from '#platform/limits/calendar.ts'
import type { HoldRefusal } from './hold-statements.ts'

const LIMIT_CODES = {
  'key requests': 'billing.key_requests_exceeded',
  'key tokens': 'billing.key_tokens_exceeded',
  'member requests': 'billing.member_requests_exceeded',
  'member tokens': 'billing.member_tokens_exceeded',
  'model requests': 'billing.model_requests_exceeded',
  'model tokens': 'billing.model_tokens_exceeded',
} as const

/** The errors of limits per minute. */
export const LIMIT_ERRORS = Object.values(LIMIT_CODES)

/**
 * Returns the error for a refused hold: one of LIMIT_ERRORS, billing.key_budget_exceeded,
 * billing.member_budget_exceeded, billing.insufficient_credits or org.daily_chat_limit.
 */
export function refusalOf(refusal: HoldRefusal): AppError {
  switch (refusal) {
    case 'key budget':
      return fail('billing.key_budget_exceeded', { day: nextMonth() })
    case 'member budget':
      return fail('billing.member_budget_exceeded', { day: nextMonth() })
    case 'no credits':
      return fail('billing.insufficient_credits')
    case 'daily limit':
      return fail('org.daily_chat_limit', {}, { retryAfter: secondsToMidnight() })
    default:
      return fail(LIMIT_CODES[refusal], {}, { retryAfter: secondsToNextMinute() })
  }
}
