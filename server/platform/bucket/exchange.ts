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
  /** Null for the bucket itself. */
  key: string | null
  query?: Record<string, string>
  /** Total time in milliseconds: all attempts, the pauses between them, and the response bodies. */
  timeoutMs: number
  /** Reads a successful response. Called for each attempt. An error that it throws is the attempt's error. */
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
/** Pause before the second attempt. Doubles for the third. */
const PAUSE_MS = 500
/** Longest Retry-After that is respected. Longer ones are not retried. */
const RETRY_AFTER_MAX_MS = 10_000
/** Maximum time without any data from the server. */
const SILENCE_MAX_MS = 30_000
const ERROR_BYTES_MAX = 16 * 1024
const EMPTY_SHA256 = createHash('sha256').digest('hex')

/**
 * Sends a GET request to a bucket, through the network guard. Retries temporary failures: 429, 5xx and broken
 * connections. Does not follow redirects. Throws a BucketError for any failure, or the signal's reason.
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

/** A failure with a Retry-After header. `pauseMs` is undefined if the wait would be too long. */
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
  // Ignore the stream's error if it is destroyed early.
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
