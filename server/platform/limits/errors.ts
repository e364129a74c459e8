import { defineErrors } from '#errors/define.ts'

export const LIMITS_ERRORS = defineErrors({
  'deployment.daily_limit': [
    429,
    'This chat has reached its limit of {limit} messages per day. Try again after midnight (UTC).',
  ],
})
