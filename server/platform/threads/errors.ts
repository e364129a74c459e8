import { defineErrors } from '#errors/define.ts'

export const THREADS_ERRORS = defineErrors({
  'threads.busy': 'Too many long texts are being processed. Try again in a moment.',
  'threads.timeout':
    'Processing a long text took longer than {seconds} seconds. Shorten it, or try again later.',
  'threads.stopping': 'The server is stopping. Try again in a moment.',
})
