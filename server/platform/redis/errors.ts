import { defineErrors } from '#errors/define.ts'

export const REDIS_ERRORS = defineErrors({
  'redis.full':
    'Redis is full and refuses writes: it uses as much memory as maxmemory allows. Raise maxmemory, or free memory.',
  'redis.no_answer': 'Redis is not responding. Try again later.',
})
