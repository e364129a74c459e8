import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '#database/unavailable.ts'
import { AppError, envelopedStatusOf, fail, sentence } from '#errors'
import { isDiskFull } from '#platform/storage/disk-full.ts'
import { unavailable } from '#platform/storage/unavailable.ts'
import { logFault } from '#platform/telemetry/log-fault.ts'
import { drainBody } from './drain-body.ts'
import { envelopedError, isUnderV1 } from './envelope.ts'
import { nameField } from './name-field.ts'
import { validationError } from './validation.ts'
import { wireErrorsOf } from './wire-errors.ts'

/** Retry-After of errors that pass, in seconds. Dependencies that respond again are noticed within this time. */
const RETRY_SECONDS = 2

/**
 * Sends an error in the format of the address: `{detail}` under /api, the envelope under /v1, OpenAI's format under
 * /openai, Anthropic's under /anthropic. Reports an unexpected error as server.error, and logs its cause with the
 * request id.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const expected = nameField(appErrorOf(error, request), request)
  drainBody(request, reply)
  if (expected.status >= 500)
    logFault(
      request.server.log,
      faultOf(error, expected),
      { request_id: request.id, route: request.routeOptions.url },
      'request failed',
    )
  else if (expected.cause) request.log.debug({ err: expected.cause }, expected.message)
  const { status, body } = answerTo(expected, request.originalUrl, request.id)
  const retryAfter = expected.retryAfter ?? (status === 503 ? RETRY_SECONDS : undefined)
  if (retryAfter !== undefined) reply.header('Retry-After', String(Math.ceil(retryAfter)))
  if (status === 401 && !reply.hasHeader('WWW-Authenticate'))
    reply.header('WWW-Authenticate', challengeOf(expected.code))
  return reply
    .code(status)
    .header('X-Request-Id', request.id)
    .type('application/json; charset=utf-8')
    .send(body)
}

/** Returns the error to log: the one that was thrown, if nobody expected it. */
export const faultOf = (error: unknown, expected: AppError): unknown =>
  expected.code === 'server.error' ? error : expected

/** Returns the header WWW-Authenticate of a 401 response (RFC 6750, section 3). */
export const challengeOf = (code: string): string =>
  isInvalidCredential(code) ? 'Bearer realm="Parley", error="invalid_token"' : 'Bearer realm="Parley"'

/** Returns whether an error means that the credential of the request is invalid, and not that there is none. */
export const isInvalidCredential = (code: string): boolean =>
  code === 'auth.invalid_token' || code === 'auth.invalid_key'

/** Returns the error to report. For an unexpected error, this is server.error with the error as its cause. */
export const appErrorOf = (error: unknown, request: FastifyRequest): AppError =>
  error instanceof AppError ? error : translate(error as FastifyError, request)

/** Returns the response to an error, in the format of the raw request URL. */
export function answerTo(error: AppError, url: string, requestId: string): { status: number; body: object } {
  if (isUnderV1(url)) return { status: envelopedStatusOf(error.code), body: envelopedError(error, requestId) }
  const wire = wireErrorsOf(url)
  return wire
    ? { status: wire.statusOf(error.code), body: wire.bodyOf(error, requestId) }
    : { status: error.status, body: plain(error, requestId) }
}

export const plain = (error: AppError, requestId: string) => ({
  detail: error.message,
  code: error.code,
  ...(error.values && { values: error.values }),
  ...(error.issues && { errors: error.issues }),
  ...error.more,
  request_id: requestId,
})

/** Converts Fastify's errors, which are identified by their codes, to AppErrors. */
function translate(error: FastifyError, request: FastifyRequest): AppError {
  if (isDiskFull(error)) return unavailable(error)
  if (isUnavailable(error)) return fail('server.no_database', {}, { cause: error, retryAfter: RETRY_SECONDS })
  if (error.validation)
    return validationError(error.validation as never, error.validationContext ?? 'request')
  switch (error.code) {
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return fail('request.invalid', { reason: sentence('request.body_needed') })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail('request.unsupported_type')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('request.too_large', { limit: request.routeOptions.bodyLimit ?? 0 })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return fail('request.malformed', { reason: sentence('request.content_length') })
    case 'FST_ERR_BAD_URL':
      return fail('request.malformed', { reason: sentence('request.address_invalid') })
    default:
      return fail('server.error', {}, { cause: error })
  }
}
