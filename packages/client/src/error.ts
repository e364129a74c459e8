/** A field of the request that the server refused, such as `{ path: 'name', message: 'is required' }`. */
export interface FieldError {
  path: string
  message: string
}

interface ErrorFields {
  status: number
  code: string
  fieldErrors?: readonly FieldError[]
  requestId?: string | null
  retryAfterMs?: number | null
  body?: Record<string, unknown>
  cause?: unknown
}

/** Codes and statuses after which the same request can succeed. */
const RETRYABLE_CODES = ['network', 'stream.lost', 'chat.elsewhere', 'request.in_progress']
const RETRYABLE_STATUSES = [408, 429, 502, 503, 504]

const NO_FIELDS = { fieldErrors: [], requestId: null, retryAfterMs: null, body: {} }

/** A request that failed: the server refused it, no answer came, or a stream was cut. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  /** The HTTP status; 0 if there was no answer. */
  declare readonly status: number
  /** A stable code, such as `org.not_found`. `network`: no answer came. `stream.lost`: a stream was cut. */
  declare readonly code: string
  /** What is wrong with which field, where the request was not valid. */
  declare readonly fieldErrors: readonly FieldError[]
  /** Quote it when you report a problem to the operator of the server. */
  declare readonly requestId: string | null
  /** How long to wait before the next try, if the server said so. */
  declare readonly retryAfterMs: number | null
  /** Whether the same request can succeed later. */
  declare readonly isRetryable: boolean
  /** The whole answer, if it was a JSON object. */
  declare readonly body: Record<string, unknown>

  /** `detail` is a sentence for people, and becomes the message. */
  constructor(detail: string, { cause, ...fields }: ErrorFields) {
    super(detail, { cause })
    const isRetryable = RETRYABLE_CODES.includes(fields.code) || RETRYABLE_STATUSES.includes(fields.status)
    Object.assign(this, NO_FIELDS, fields, { isRetryable })
  }
}

interface ErrorBody {
  detail?: string
  code?: string
  errors?: FieldError[]
}

/** Returns the error of a refused request. `body` is its parsed body, or null if that was not JSON. */
export function errorOf(status: number, body: unknown, header: (name: string) => string | null): ParleyError {
  const {
    detail = `The server answered with ${status}.`,
    code = 'unknown',
    errors = [],
  } = Object(body) as ErrorBody
  const seconds = Number(header('retry-after'))
  return new ParleyError(detail, {
    status,
    code,
    fieldErrors: errors,
    requestId: header('x-request-id'),
    retryAfterMs: seconds > 0 ? seconds * 1000 : null,
    body: Object(body),
  })
}

/** Returns the error of a request that got no answer. */
export const networkError = (
  cause?: unknown,
  detail = 'The server cannot be reached. Check the connection and try again.',
): ParleyError => new ParleyError(detail, { status: 0, code: 'network', cause })
