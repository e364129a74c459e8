import { type AppError, ENVELOPE_CODES, envelopeCodeOf, envelopedStatusOf } from '#errors'
import type { AnswerForm } from './openapi.ts'
import { described, ISSUES, REQUEST_ID, SECOND_FACTOR, VALUES } from './schemas.ts'

/** Matches request URLs under `/v1`, including absolute request targets (RFC 9112, 3.2). */
const UNDER_V1 = /^(?:https?:\/\/[^/?#]*)?\/v1(?=[/?]|$)/

/** Returns whether responses to this raw request URL use the envelope. The path must begin with exactly `/v1`. */
export const isUnderV1 = (url: string): boolean => UNDER_V1.test(url)

/** Maps `/v1/chat/list` to `/api/chat/list`. Leaves other addresses unchanged. */
export const underApi = (url: string): string => url.replace(UNDER_V1, '/api')

export const enveloped = (data: unknown) => ({ status: 'success', data })

/** Wraps an error. `details` contains the fields that `/api` returns in addition to `detail`. */
export const envelopedError = (error: AppError, requestId: string) => ({
  status: 'error',
  error: {
    code: envelopeCodeOf(error.code),
    message: error.message,
    details: {
      code: error.code,
      ...(error.values && { values: error.values }),
      ...(error.issues && { errors: error.issues }),
      ...error.more,
      request_id: requestId,
    },
  },
})

/** How the API reference describes operations under /v1. */
export const V1_FORM: AnswerForm = {
  title: 'Parley API v1, in an envelope',
  summary: 'The operations of /api under /v1, with each JSON response in an envelope',
  addressOf: (url) => (url.startsWith('/api/') ? `/v1/${url.slice('/api/'.length)}` : null),
  success: (view) => ({
    type: 'object',
    required: ['status', 'data'],
    properties: {
      status: { type: 'string', const: 'success', description: 'Always `success`.' },
      data: described(view, 'Result of the operation.'),
    },
    additionalProperties: false,
  }),
  wrap: enveloped,
  statusOf: envelopedStatusOf,
  errorBody: envelopedError,
  error: {
    title: 'Error',
    type: 'object',
    required: ['status', 'error'],
    properties: {
      status: { type: 'string', const: 'error', description: 'Always `error`.' },
      error: {
        type: 'object',
        description: 'The error.',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: ENVELOPE_CODES, description: 'Class of the error.' },
          message: { type: 'string', description: 'The failure and its remedy, in English.' },
          details: {
            type: 'object',
            description: 'Details for programs.',
            required: ['code', 'request_id'],
            properties: {
              code: { type: 'string', description: 'Stable code for programs, such as `request.invalid`.' },
              values: VALUES,
              errors: ISSUES,
              ...SECOND_FACTOR,
              request_id: REQUEST_ID,
            },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  },
}
