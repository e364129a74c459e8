import type { Catalogue } from './catalogue.ts'

export const REQUESTS_ERRORS = {
  'request.invalid': [400, '{reason}'],
  'request.malformed': [400, '{reason}'],
  'request.invalid_cursor': [400, 'cursor is not one that this list has given out'],
  'request.idempotency_reused': [409, 'This Idempotency-Key was used before with another request'],
  'request.in_progress': [409, 'The first request with this Idempotency-Key is still being worked on'],
  'request.interrupted': [
    409,
    'The first request with this Idempotency-Key was cut off, and what it has done elsewhere is not known here. ' +
      'Look at what has come of it, and send it with a new key to have it done again',
  ],
  'request.answer_not_kept': [
    409,
    'The first request with this Idempotency-Key was done, but its answer is not kept any more: answers above 64 KiB are ' +
      'kept for 1 hour, and those above 1 MiB not at all',
  ],
  'request.too_many_keys': [
    429,
    'At most {requests} requests with an Idempotency-Key, or {megabytes} MiB of their answers, are kept at a time. Try ' +
      'again later, or send the request without the key',
  ],
  'request.not_found': [404, 'No such endpoint: {method} {path}'],
  'request.method_not_allowed': [405, '{method} is not allowed here; allowed: {allowed}'],
  'request.timed_out': [408, 'The request took too long to arrive'],
  'request.too_large': [413, 'The request body is larger than {limit} bytes'],
  'request.too_many_values': [
    413,
    '{what} holds more than {limit} values, counting list items and object fields at every level',
  ],
  'request.file_too_large': [413, 'The file is larger than {limit} bytes'],
  'request.form_needed': [415, 'Send the file as multipart/form-data, in the field file'],
  'request.unsupported_type': [415, 'Send the body as application/json'],
  'request.uri_too_long': [414, 'The request address is too long'],
  'request.foreign_origin': [
    403,
    'Pages of {origin} cannot connect to this server. Its operator can add the origin to CORS_ORIGINS.',
  ],
  'request.upgrade_needed': [426, 'Connect to this address with a WebSocket'],
  'request.abandoned': [499, 'The client left before its answer was complete'],
  'request.headers_too_large': [431, 'The request headers are too large'],

  'rate.limited': [429, 'Too many requests: there may be {rate}. Try again in {wait}.'],

  'server.error': [500, 'Something went wrong on our side. Quote the request id when you report it.'],
  'server.unavailable': [503, '{reason}'],
} as const satisfies Catalogue
