import { defineErrors } from '#errors/define.ts'

export const REDIS_ERRORS = defineErrors({
  'redis.no_answer': 'Redis does not answer',
})
