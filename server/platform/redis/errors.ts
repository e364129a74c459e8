import { defineErrors } from '#errors/define.ts'

export const REDIS_ERRORS = defineErrors({
  'redis.no_answer': 'Redis is not responding. Try again later.',
})
