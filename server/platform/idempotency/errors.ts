import { defineErrors } from '#errors/define.ts'

export const IDEMPOTENCY_ERRORS = defineErrors({
  'request.idempotency_reused': [
    409,
    'This Idempotency-Key was already used with a different request. Use a new key.',
  ],
  'request.in_progress': [
    409,
    'The first request with this Idempotency-Key is still in progress. Try again in a moment.',
  ],
  'request.interrupted': [
    409,
    'The first request with this Idempotency-Key was interrupted, and its effects outside this server are unknown. Check what it did before you send it again with a new key.',
  ],
  'request.answer_not_kept': [
    409,
    'The first request with this Idempotency-Key is complete, but its response is no longer stored. Responses above 64 KiB are kept for 1 hour, and those above 1 MiB are not kept. To see the result, read the data that the request changed.',
  ],
  'request.too_many_keys': [
    429,
    'You have reached the limit of {requests} stored requests with an Idempotency-Key, or {megabytes} MiB of their responses. Try again later, or send the request without the key.',
  ],
})
