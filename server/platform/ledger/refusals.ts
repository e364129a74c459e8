import { type AppError, fail } from '#errors'
import { nextMonth, secondsToMidnight } from '#platform/limits/calendar.ts'
import type { HoldRefusal } from './hold-statements.ts'

/**
 * Returns the error for a refused hold: billing.key_budget_exceeded, billing.member_budget_exceeded,
 * billing.insufficient_credits or org.daily_chat_limit.
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
  }
}
