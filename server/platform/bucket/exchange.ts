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
  /** Null: the bucket itself. */
  key: string | null
  query?: Record<string, string>
  /** Milliseconds for everything: each attempt, the pauses between them, and the last byte. */
  timeoutMs: number
  /** Takes the answer of a success; again with each attempt. What it throws is the outcome of the attempt. */
  read: (answer: BucketAnswer) => Promise<Result>
}

type Answer = Awaited<ReturnType<Net['guarded']['request']>>

export interface BucketAnswer {
  host: string
  headers: Answer['headers']
  /** Ends with a BucketError where the connection breaks. */
  body: AsyncIterable<Buffer>
}

const ATTEMPTS_MAX = 3
/** Before the second attempt; twice as long before the third. */
const PAUSE_MS = 500
/** Who wants to be left alone for longer is not waited for. */
const RETRY_AFTER_MAX_MS = 10_000
/** How long a server may say nothing at all. */
const SILENCE_MAX_MS = 30_000
const ERROR_BYTES_MAX = 16 * 1024
const EMPTY_SHA256 = createHash('sha256').digest('hex')

/**
 * Gets something from a bucket, through the guard. What can pass (429, 5xx, a broken connection) is tried again.
 * Nothing is followed elsewhere. Throws a BucketError for whatever goes wrong, and the signal's reason.
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

/** A server said when to come back: undefined where that is too far away. */
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
  // What the stream says to being ended early is nothing to us.
  answer.body.on('error', () => {})
  try {
    if (answer.statusCode !== 200) throw await toRefusal(bucket, host, key, answer)
    return await read({ host, headers: answer.headers, body: bytesOf(host, answer.body) })
  } finally {
    // The connection ends with what was not read.
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
  const words = await readBeginning(body, ERROR_BYTES_MAX).catch(() => null) // the status says enough
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
