import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ModelUsage } from '#platform/models/types.ts'

/**
 * The metrics of /metrics, in Prometheus text format. Each Metrics object has its own registry, so that tests do not
 * share one.
 */
export interface Metrics {
  registry: Registry
  /** Seconds from a request's arrival to the end of its response. */
  requests: Histogram<'method' | 'route' | 'status'>
  /** Number of replies in progress. */
  repliesOpen: Gauge
  /** Number of finished replies, by status. */
  replies: Counter<'status'>
  /** Number of open WebSockets. */
  liveSockets: Gauge
  /** Seconds from the start of a chat reply to its end, including tool calls. */
  replySeconds: Histogram
  /** Seconds from the start of a model call to its first output. */
  firstToken: Histogram<'provider'>
  /** Number of clients that are reading an event stream. */
  streamsOpen: Gauge
  /** Number of charged tokens. */
  tokens: Counter<'direction'>
  /** Number of requests refused by a rate limit. */
  rateLimited: Counter<'window'>
}

/** Counts the charged tokens of a reply or another model call. */
export function countTokensPaid({ tokens }: Pick<Metrics, 'tokens'>, usage: ModelUsage): void {
  tokens.inc({ direction: 'input' }, usage.inputTokens)
  tokens.inc({ direction: 'output' }, usage.outputTokens)
}

const LATENCY_BUCKETS_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60]
const FIRST_TOKEN_BUCKETS_SECONDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]
const REPLY_BUCKETS_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300]

export function createMetrics(): Metrics {
  const registry = new Registry()
  return {
    registry,
    requests: new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Seconds from the arrival of a request to the end of its response',
      labelNames: ['method', 'route', 'status'],
      buckets: LATENCY_BUCKETS_SECONDS,
      registers: [registry],
    }),
    repliesOpen: new Gauge({
      name: 'parley_replies_open',
      help: 'Replies in progress',
      registers: [registry],
    }),
    replies: new Counter({
      name: 'parley_replies_total',
      help: 'Finished replies by status',
      labelNames: ['status'],
      registers: [registry],
    }),
    liveSockets: new Gauge({
      name: 'parley_live_sockets',
      help: 'Open WebSockets',
      registers: [registry],
    }),
    replySeconds: new Histogram({
      name: 'parley_reply_seconds',
      help: 'Seconds from the start of a chat reply to its end',
      buckets: REPLY_BUCKETS_SECONDS,
      registers: [registry],
    }),
    firstToken: new Histogram({
      name: 'parley_first_token_seconds',
      help: 'Seconds from the start of a model call to its first output',
      labelNames: ['provider'],
      buckets: FIRST_TOKEN_BUCKETS_SECONDS,
      registers: [registry],
    }),
    streamsOpen: new Gauge({
      name: 'parley_streams_open',
      help: 'Clients that are reading an event stream',
      registers: [registry],
    }),
    rateLimited: new Counter({
      name: 'parley_rate_limited_total',
      help: 'Requests refused by a rate limit, by window',
      labelNames: ['window'],
      registers: [registry],
    }),
    tokens: new Counter({
      name: 'parley_tokens_total',
      help: 'Charged tokens',
      labelNames: ['direction'],
      registers: [registry],
    }),
  }
}
