import { defineErrors } from '#errors/define.ts'

export const HTTP_ERRORS = defineErrors({
  'request.invalid': [400, '{reason}', 'validation'],
  'request.malformed': [400, '{reason}'],
  'request.invalid_cursor': [400, 'cursor is not one that this list has given out', 'validation'],
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
  'request.abandoned': [499, 'The client left before its answer was complete'],
  'request.headers_too_large': [431, 'The request headers are too large'],
  'rate.limited': [429, 'Too many requests: there may be {rate}. Try again in {wait}.'],
  'server.error': [500, 'Something went wrong on our side. Quote the request id when you report it.'],
  'server.unavailable': [503, '{reason}'],
})
