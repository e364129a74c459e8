import { defineErrors } from '#errors/define.ts'

export const LIMITS_ERRORS = defineErrors({
  'deployment.daily_limit': [
    429,
    'This chat has reached its daily message limit. The limit resets at midnight (UTC).',
  ],
})
