import { sentence } from '#errors'
import { parseRetryAfter } from '#platform/net/exchange-bounds.ts'
import { FetchError } from '#platform/net/fetch-bounded.ts'
import { NetError } from '#platform/net/index.ts'
import { postBounded } from '#platform/net/post-bounded.ts'
import type { Services } from '#platform/services.ts'
import type { ClaimedDelivery } from './claim-deliveries-system.ts'
import { TEST_EVENT_TYPE } from './schemas.ts'
import type { Outcome } from './settle-delivery.ts'
import { writeBody, writeHeaders } from './write-message.ts'

/** Times of deliveries, in milliseconds. */
export interface DeliveryTimes {
  timeoutMs: number
  /** Delays between attempts. The number of attempts is one more than the number of delays. */
  retryDelaysMs: readonly number[]
  /** An endpoint is disabled once its deliveries have failed for this long. */
  giveUpMs: number
  /** Duration of a claim beyond the timeout of its attempt. */
  claimMarginMs: number
  /** Interval between look-ups of due deliveries. */
  pollMs: number
  /** Interval between sweeps, which mark pending deliveries to disabled endpoints as failed. */
  sweepMs: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DELIVERY_TIMES: DeliveryTimes = {
  timeoutMs: 15 * SECOND,
  retryDelaysMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 8 * HOUR],
  giveUpMs: 5 * 24 * HOUR,
  claimMarginMs: 15 * SECOND,
  pollMs: SECOND,
  sweepMs: MINUTE,
}

/** Random variation of a delay, as a fraction. Deliveries that failed together are therefore not retried together. */
const JITTER = 0.1
/** Longest delay accepted from a Retry-After header. A longer one is ignored. */
const RETRY_AFTER_MAX_MS = 8 * HOUR
const GONE = 410

/**
 * Attempts a delivery once. Rejects with the signal's reason if aborted. Also rejects if the message cannot be built,
 * for example because a secret cannot be decrypted.
 */
export async function tryDelivery(
  { net, secrets }: Pick<Services, 'net' | 'secrets'>,
  delivery: ClaimedDelivery,
  { timeoutMs, retryDelaysMs }: DeliveryTimes,
  signal: AbortSignal,
): Promise<Outcome> {
  const opened = delivery.secrets.map((sealed) => secrets.decrypt(sealed, delivery.endpointId))
  const content = writeBody(delivery)
  const headers = writeHeaders(delivery, content, opened)
  const start = performance.now()
  const at = new Date().toISOString()
  const attemptOf = (status: number | null, error: string | null) => ({
    at,
    duration_ms: Math.round(performance.now() - start),
    response_status: status,
    error,
  })
  const retryAfter = (header: string | string[] | undefined): number | null => {
    const delay = delivery.eventType === TEST_EVENT_TYPE ? undefined : retryDelaysMs[delivery.tries]
    if (delay === undefined) return null
    return Math.max(withJitter(delay), parseRetryAfter(header, RETRY_AFTER_MAX_MS) ?? 0)
  }
  try {
    const answer = await postBounded(net, delivery.url, { headers, content, timeoutMs, signal })
    const { status } = answer
    if (status >= 200 && status < 300) return { isDelivered: true, attempt: attemptOf(status, null) }
    const isGone = status === GONE
    const retryMs = isGone ? null : retryAfter(answer.headers['retry-after'])
    return { isDelivered: false, isGone, retryMs, attempt: attemptOf(status, sentenceOf(status)) }
  } catch (error) {
    if (!(error instanceof NetError || error instanceof FetchError)) throw error
    return {
      isDelivered: false,
      isGone: false,
      retryMs: retryAfter(undefined),
      attempt: attemptOf(null, error.message),
    }
  }
}

const withJitter = (delayMs: number): number => delayMs * (1 + JITTER * (2 * Math.random() - 1))

const sentenceOf = (status: number): string =>
  sentence(status >= 300 && status < 400 ? 'webhook.redirect' : 'webhook.status', { status })
