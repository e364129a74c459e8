import { AppError, fail, type Reason, sentence } from '#errors'
import { type FailureKind, ModelError } from '#platform/models/types.ts'

/** The errors of a request whose model call failed. */
export const MODEL_FAILURES = ['llm.failed', 'llm.rate_limited', 'llm.refused'] as const

const UNEXPECTED = sentence('llm.broke')

/**
 * Converts the failure of a model call to the error of a request. Clients retry 429 and 503, and don't retry 400.
 */
export function modelFailure(error: ModelError): AppError {
  const { message: reason, kind, retryAfterMs } = error
  return fail(
    CODES[kind],
    { reason },
    { cause: error, ...(retryAfterMs !== undefined && { retryAfter: retryAfterMs / 1000 }) },
  )
}

/** Converts what a call threw to the error of a request: `modelFailure`, or a failure without details. */
export function failureOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof ModelError) return modelFailure(error)
  return fail('llm.failed', { reason: UNEXPECTED }, { cause: error })
}

/** Returns why a request failed: the reason of its model call instead of a code that only quotes this reason. */
export const modelReason = (failure: AppError): Reason =>
  failure.cause instanceof ModelError ? failure.cause : failure

const CODES: Record<FailureKind, (typeof MODEL_FAILURES)[number]> = {
  request: 'llm.refused',
  configuration: 'llm.refused',
  rate_limited: 'llm.rate_limited',
  overloaded: 'llm.failed',
  unavailable: 'llm.failed',
}
