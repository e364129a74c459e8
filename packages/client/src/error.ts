/** A field of the request that the server refused, such as `{ path: 'name', message: 'is required' }`. */
export interface FieldError {
  path: string
  message: string
}

interface ErrorFields {
  status: number
  code: string
  retryAfterMs?: number | null
  body?: ErrorBody
  cause?: unknown
}

/** What the server says of a refusal. Some refusals have more, such as the challenge of a second factor. */
interface ErrorBody {
  detail?: string
  code?: string
  errors?: FieldError[]
  request_id?: string
  [field: string]: unknown
}

/** Codes and statuses after which the same request can succeed. */
const RETRYABLE_CODES = ['network', 'stream.lost', 'chat.elsewhere', 'request.in_progress']
const RETRYABLE_STATUSES = [408, 429, 502, 503, 504]

/** A request that failed: the server refused it, no answer came, or a stream was cut. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  /** The HTTP status; 0 if there was no answer. */
  declare readonly status: number
  /** A stable code, such as `org.not_found`. `network`: no answer came. `stream.lost`: a stream was cut. */
  declare readonly code: string
  /** How long to wait before the next try, if the server said so. */
  declare readonly retryAfterMs: number | null
  /** Whether the same request can succeed later. */
  declare readonly isRetryable: boolean
  /** The whole answer of the server; empty if there was none. */
  declare readonly body: ErrorBody

  /** `detail` is a sentence for people, and becomes the message. */
  constructor(detail: string, { cause, ...fields }: ErrorFields) {
    super(detail, { cause })
    const isRetryable = RETRYABLE_CODES.includes(fields.code) || RETRYABLE_STATUSES.includes(fields.status)
    Object.assign(this, { retryAfterMs: null, body: {} }, fields, { isRetryable })
  }

  /** What is wrong with which field, where the request was not valid. */
  get fieldErrors(): readonly FieldError[] {
    return this.body.errors ?? []
  }

  /** Quote it when you report a problem to the operator of the server. */
  get requestId(): string | null {
    return this.body.request_id ?? null
  }
}

/** Returns the error of a refusal. */
export async function errorOf(answer: Response): Promise<ParleyError> {
  const body = Object(await answer.json().catch(() => null)) as ErrorBody
  const { status, headers } = answer
  const { detail = `The server answered with ${status}.`, code = 'unknown' } = body
  const retryAfterMs = Number(headers.get('retry-after')) * 1000 || null
  return new ParleyError(detail, { status, code, retryAfterMs, body })
}

/** Returns the error of a request that got no answer. */
export const networkError = (
  cause?: unknown,
  detail = 'The server cannot be reached. Check the connection and try again.',
): ParleyError => new ParleyError(detail, { status: 0, code: 'network', cause })
