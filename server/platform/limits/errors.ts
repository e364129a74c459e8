import { defineErrors } from '#errors/define.ts'

export const LIMITS_ERRORS = defineErrors({
  'deployment.daily_limit': [
    429,
    'This chat has taken as many messages today as it may. It goes on at midnight (UTC).',
  ],
})
