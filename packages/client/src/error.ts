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

/** The body of an error response. Some errors have additional fields, such as a second-factor challenge. */
interface ErrorBody {
  detail?: string
  code?: string
  values?: Record<string, string | number>
  errors?: FieldError[]
  request_id?: string
  [field: string]: unknown
}

/** Error codes and HTTP statuses of temporary failures. The same request can succeed later. */
const RETRYABLE_CODES = [
  'network',
  'stream.lost',
  'chat.elsewhere',
  'request.in_progress',
  'server.no_database',
]
const RETRYABLE_STATUSES = [408, 429, 502, 503, 504]

/** A failed request: the server rejected the request, no response arrived, or a stream was cut off. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  /** The HTTP status, or 0 if no response arrived. */
  declare readonly status: number
  /**
   * A stable code, such as `org.not_found`. The code is `network` if no response arrived, and `stream.lost` if a
   * stream was cut off.
   */
  declare readonly code: string
  /** The time to wait before the next try, in milliseconds. Null if the server sent no Retry-After header. */
  declare readonly retryAfterMs: number | null
  /** Whether the same request can succeed later. */
  declare readonly isRetryable: boolean
  /** The server's complete error body. An empty object if no body arrived. */
  declare readonly body: ErrorBody

  /** `detail` becomes the error's message. It is a sentence for users. */
  constructor(detail: string, { cause, ...fields }: ErrorFields) {
    super(detail, { cause })
    const isRetryable = RETRYABLE_CODES.includes(fields.code) || RETRYABLE_STATUSES.includes(fields.status)
    Object.assign(this, { retryAfterMs: null, body: {} }, fields, { isRetryable })
  }

  /** The rejected fields. Empty unless the request was invalid. */
  get fieldErrors(): readonly FieldError[] {
    return this.body.errors ?? []
  }

  /**
   * The values in the message by name, such as `limit`. Together with `code`, they allow a translation of the
   * message.
   */
  get values(): Readonly<Record<string, string | number>> {
    return this.body.values ?? {}
  }

  /** The id of the request, for reports to the server's operator. Null if no response arrived. */
  get requestId(): string | null {
    return this.body.request_id ?? null
  }
}

/** Converts an error response to a ParleyError. */
export async function errorOf(answer: Response): Promise<ParleyError> {
  const body = Object(await answer.json().catch(() => null)) as ErrorBody
  const { status, headers } = answer
  const { detail = `The server responded with status ${status}.`, code = 'unknown' } = body
  const retryAfterMs = Number(headers.get('retry-after')) * 1000 || null
  return new ParleyError(detail, { status, code, retryAfterMs, body })
}

/** Returns the error for a request that received no response. */
export const networkError = (
  cause?: unknown,
  detail = 'The server cannot be reached. Check the connection and try again.',
): ParleyError => new ParleyError(detail, { status: 0, code: 'network', cause })
