import { defineErrors } from '#errors/define.ts'

export const IDEMPOTENCY_ERRORS = defineErrors({
  'request.idempotency_reused': [409, 'This Idempotency-Key was used before with another request'],
  'request.in_progress': [409, 'The first request with this Idempotency-Key is still being worked on'],
  'request.interrupted': [
    409,
    'The first request with this Idempotency-Key was cut off, and what it has done elsewhere is not known here. Look at what has come of it, and send it with a new key to have it done again',
  ],
  'request.answer_not_kept': [
    409,
    'The first request with this Idempotency-Key was done, but its answer is not kept any more: answers above 64 KiB are kept for 1 hour, and those above 1 MiB not at all',
  ],
  'request.too_many_keys': [
    429,
    'At most {requests} requests with an Idempotency-Key, or {megabytes} MiB of their answers, are kept at a time. Try again later, or send the request without the key',
  ],
})
