import { defineErrors } from '#errors/define.ts'

export const TELEMETRY_ERRORS = defineErrors({
  'health.no_answer': 'The {name} is not responding. Check that it is running.',
})
