import { defineErrors } from '#errors/define.ts'

export const TELEMETRY_ERRORS = defineErrors({
  'health.metrics_token': [401, 'Send the METRICS_TOKEN of this server as Authorization: Bearer.'],
  'health.no_answer': 'The {name} is not responding. Check that it is running.',
  'health.other_secret':
    'The database is encrypted with another SECRET. Start this process with the SECRET of the other processes.',
})
