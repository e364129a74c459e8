import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sentence } from '#errors'
import {
  connectionFailureOf,
  connectionSentence,
  parseRetryAfter,
  readBeginning,
  withinTime,
} from '../net/exchange-bounds.ts'
import { type Net, NetError } from '../net/index.ts'
import { signRequest } from '../storage/s3-requests.ts'
import { BucketError } from './bucket-error.ts'
import { type Bucket, checkBucket, endpointOf } from './names.ts'
import { refusalOf } from './refusals.ts'

export interface BucketRequest<Result> {
  /** Key of the object. Null requests the bucket itself. */
  key: string | null
  query?: Record<string, string>
  /** Total timeout in milliseconds: all attempts, the pauses between them, and the response bodies. */
  timeoutMs: number
  /**
   * Reads a successful response. Called for each successful attempt. If `read` throws, the attempt fails with the
   * same error.
   */
  read: (answer: BucketAnswer) => Promise<Result>
}

type Answer = Awaited<ReturnType<Net['guarded']['request']>>

export interface BucketAnswer {
  host: string
  headers: Answer['headers']
  /** Throws a BucketError if the connection breaks. */
  body: AsyncIterable<Buffer>
}

const ATTEMPTS_MAX = 3
/** Milliseconds before the second attempt. The pause before the third attempt is twice as long. */
const PAUSE_MS = 500
/** Maximum Retry-After that is respected. If the server requests a longer wait, the request is not retried. */
const RETRY_AFTER_MAX_MS = 10_000
/** Maximum milliseconds without any data from the server. */
const SILENCE_MAX_MS = 30_000
const ERROR_BYTES_MAX = 16 * 1024
const EMPTY_SHA256 = createHash('sha256').digest('hex')

/**
 * Sends a GET request to a bucket, through the network guard. Retries temporary failures: 429, 5xx and broken
 * connections. Doesn't follow redirects. Throws a BucketError on failure, or the signal's reason on abort.
 */
export async function askBucket<Result>(
  net: Net,
  bucket: Bucket,
  request: BucketRequest<Result>,
  signal: AbortSignal,
): Promise<Result> {
  checkBucket(net, bucket)
  const { host } = new URL(endpointOf(bucket))
  const tooSlow = (): Error =>
    new BucketError(sentence('bucket.incomplete', { host, seconds: request.timeoutMs / 1000 }), true)
  return withinTime(request.timeoutMs, tooSlow, signal, async (bounded) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(net, bucket, host, request, bounded)
      } catch (error) {
        bounded.throwIfAborted()
        if (!(error instanceof BucketError) || !error.canTryAgain || attempt === ATTEMPTS_MAX) throw error
        const pauseMs = error instanceof Postponed ? error.pauseMs : PAUSE_MS * attempt
        if (pauseMs === undefined) throw error
        await sleep(pauseMs, undefined, { signal: bounded })
      }
    }
  })
}

/**
 * A failure with a Retry-After header. `pauseMs` is undefined if the header is invalid or the wait would be too long.
 */
class Postponed extends BucketError {
  readonly pauseMs: number | undefined

  constructor({ message }: BucketError, pauseMs: number | undefined) {
    super(message, true)
    this.pauseMs = pauseMs
  }
}

async function attemptOnce<Result>(
  net: Net,
  bucket: Bucket,
  host: string,
  { key, query = {}, read }: BucketRequest<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const headers = { 'x-amz-content-sha256': EMPTY_SHA256 }
  const target = { ...bucket, endpoint: endpointOf(bucket) }
  const wire = await signRequest(target, { method: 'GET', key, query, headers })
  const answer = await net.guarded
    .request({
      ...wire,
      method: 'GET',
      headers: { ...wire.headers, 'accept-encoding': 'identity' },
      headersTimeout: SILENCE_MAX_MS,
      bodyTimeout: SILENCE_MAX_MS,
      signal,
    })
    .catch((error: unknown) => {
      throw toBucketError(host, error)
    })
  // Without a listener, the error of a body that is destroyed early would crash the process.
  answer.body.on('error', () => {})
  try {
    if (answer.statusCode !== 200) throw await toRefusal(bucket, host, key, answer)
    return await read({ host, headers: answer.headers, body: bytesOf(host, answer.body) })
  } finally {
    // Close the connection if the body was not fully read.
    answer.body.destroy()
  }
}

async function* bytesOf(host: string, body: Answer['body']): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw toBucketError(host, error)
  }
}

async function toRefusal(
  bucket: Bucket,
  host: string,
  key: string | null,
  { statusCode: status, headers, body }: Answer,
): Promise<BucketError> {
  const words = await readBeginning(body, ERROR_BYTES_MAX).catch(() => null) // the status alone is enough
  const [, code = ''] = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(words?.beginning.toString() ?? '') ?? []
  const region = headers['x-amz-bucket-region']
  const refusal = refusalOf(bucket, key, {
    host,
    status,
    code,
    region: typeof region === 'string' ? region : undefined,
  })
  const retryAfter = headers['retry-after']
  if (!refusal.canTryAgain || retryAfter === undefined) return refusal
  return new Postponed(refusal, parseRetryAfter(retryAfter, RETRY_AFTER_MAX_MS))
}

function toBucketError(host: string, error: unknown): BucketError {
  if (error instanceof NetError) return new BucketError(error.message, false, { cause: error })
  const { code } = error as { code?: unknown }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new BucketError(sentence('bucket.silent', { host, seconds: SILENCE_MAX_MS / 1000 }), true)
  const failure = connectionFailureOf(error)
  const canTryAgain = failure === 'time' || failure === 'other' || code === 'EAI_AGAIN'
  return new BucketError(connectionSentence(host, error), canTryAgain, { cause: error })
}
