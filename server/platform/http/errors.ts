import { defineErrors } from '#errors/define.ts'

export const HTTP_ERRORS = defineErrors({
  'request.invalid': [400, '{reason}', 'validation'],
  'request.malformed': [400, '{reason}'],
  'request.invalid_cursor': [
    400,
    'cursor must be the next_cursor of an earlier page of this list.',
    'validation',
  ],
  'request.not_found': [404, 'Endpoint not found: {method} {path}'],
  'request.method_not_allowed': [405, '{method} is not allowed for this endpoint. Use {allowed}.'],
  'request.timed_out': [408, 'The request took too long to arrive. Send it again.'],
  'request.too_large': [413, 'The request body is larger than {limit} bytes. Send a smaller one.'],
  'request.too_many_values': [
    413,
    '{what} has more than {limit} values, counting list items and object fields at every level. Send fewer.',
  ],
  'request.file_too_large': [413, 'The file is larger than {limit} bytes. Send a smaller one.'],
  'request.form_needed': [415, 'Send the file as multipart/form-data, in the field named file.'],
  'request.unsupported_type': [415, 'Send the body as application/json.'],
  'request.uri_too_long': [414, 'The request URL is too long. Send fewer or shorter query parameters.'],
  'request.abandoned': [
    499,
    'The client disconnected before the response was complete. Send the request again.',
  ],
  'request.headers_too_large': [431, 'The request headers are too large. Send fewer or shorter headers.'],
  'rate.limited': [429, 'Too many requests: the limit is {rate}. Try again in {wait}.'],
  'server.error': [
    500,
    'The server could not complete this request. Try again. If it fails again, the operator can find the cause in the server log by the request ID.',
  ],
  // The specification answers failures of the database with 500 (send-error.ts).
  'server.no_database': [500, 'The database is not responding. Send the request again in a few seconds.'],
  'server.unavailable': [503, '{reason}'],
  'server.shutting_down': 'This server is shutting down. Send the request again.',

  'request.body_needed': 'The request requires a JSON body.',
  'request.content_length': 'The length of the body does not match Content-Length. Correct the header.',
  'request.address_invalid': 'The request URL is not valid. Percent-encode its special characters.',
  'request.not_http': 'This is not a valid HTTP request. Send HTTP/1.1.',
  'request.last_event_id':
    'Last-Event-ID is not an event ID of this stream. Send the ID of the last event that you received.',
  'request.idempotency_key': '{header} must have 1 to 255 visible ASCII characters.',
  'request.encoding': '{what} is not valid UTF-8.',
  'request.not_json': '{what} is not valid JSON.',
  'request.nested': '{what} is nested deeper than {limit} levels. Flatten it.',
  'request.number_range': '{field} must be a number from -1.79e308 to 1.79e308.',
  'request.nul': '{field} must not contain the NUL character.',
  'request.surrogate': '{field} must not contain an unpaired surrogate.',
  'request.unknown_field': '{field} is not a field of this request.',
  'request.read_only': [
    400,
    '{field} cannot be changed. Leave it out, or send its current value.',
    'validation',
  ],
  'request.unknown_file_field':
    '{field} is not a field of this form. Send the file in the field named {file}.',
  'request.unknown_form_field': '{field} is not a field of this form. Its only field is named {file}.',
  'request.one_file': 'Send one file at a time.',
  'request.form_parts': 'The form has too many parts. Send only the file.',
  'request.no_file': 'The form has no file in the field named {file}.',
  'request.file_cut_off': 'The upload ended before the file was complete. Send the file again.',
  'request.form_boundary':
    'The Content-Type of the form has no boundary. Let your HTTP client set this header.',
  'request.form_damaged': 'The form (multipart/form-data) is malformed. Let your HTTP client encode it.',
})
