/** A field of the request that the server rejected, for example `{ path: 'name', message: 'is required' }`. */
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

/** The body of an error response. Some errors have more fields, such as the challenge of a second factor. */
interface ErrorBody {
  detail?: string
  code?: string
  values?: Record<string, string | number>
  errors?: FieldError[]
  request_id?: string
  [field: string]: unknown
}

/** Error codes and HTTP statuses after which the same request can succeed. */
const RETRYABLE_CODES = ['network', 'stream.lost', 'chat.elsewhere', 'request.in_progress']
const RETRYABLE_STATUSES = [408, 429, 502, 503, 504]

/** A failed request: the server rejected it, no answer arrived, or a stream was cut. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  /** The HTTP status, or 0 if no answer arrived. */
  declare readonly status: number
  /** A stable code, such as `org.not_found`. `network`: no answer arrived. `stream.lost`: a stream was cut. */
  declare readonly code: string
  /** Milliseconds to wait before the next try, if the server sent Retry-After. */
  declare readonly retryAfterMs: number | null
  /** Whether the same request can succeed later. */
  declare readonly isRetryable: boolean
  /** The complete error body of the server; empty if there was none. */
  declare readonly body: ErrorBody

  /** `detail` becomes the error's message: a sentence for people. */
  constructor(detail: string, { cause, ...fields }: ErrorFields) {
    super(detail, { cause })
    const isRetryable = RETRYABLE_CODES.includes(fields.code) || RETRYABLE_STATUSES.includes(fields.status)
    Object.assign(this, { retryAfterMs: null, body: {} }, fields, { isRetryable })
  }

  /** The rejected fields of an invalid request. */
  get fieldErrors(): readonly FieldError[] {
    return this.body.errors ?? []
  }

  /** The values that the message shows, by name, such as `limit`. With `code`, they make the sentence in another language. */
  get values(): Readonly<Record<string, string | number>> {
    return this.body.values ?? {}
  }

  /** The id of the request. Include it when you report a problem to the operator of the server. */
  get requestId(): string | null {
    return this.body.request_id ?? null
  }
}

/** Returns the ParleyError for an error response. */
export async function errorOf(answer: Response): Promise<ParleyError> {
  const body = Object(await answer.json().catch(() => null)) as ErrorBody
  const { status, headers } = answer
  const { detail = `The server responded with status ${status}.`, code = 'unknown' } = body
  const retryAfterMs = Number(headers.get('retry-after')) * 1000 || null
  return new ParleyError(detail, { status, code, retryAfterMs, body })
}

/** Returns the ParleyError for a request without an answer. */
export const networkError = (
  cause?: unknown,
  detail = 'The server cannot be reached. Check the connection and try again.',
): ParleyError => new ParleyError(detail, { status: 0, code: 'network', cause })
