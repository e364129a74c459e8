import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ModelTarget, ModelUsage } from '#platform/models/types.ts'
import { STALL_MS_MIN } from './stall-watch.ts'

/**
 * The metrics of /metrics, in Prometheus text format. Each Metrics object has its own registry, so that tests do not
 * share one.
 */
export interface Metrics {
  registry: Registry
  /** Seconds from a request's arrival to the end of its response. */
  requests: Histogram<'method' | 'route' | 'status' | 'kind'>
  /** Number of replies in progress. */
  repliesOpen: Gauge
  /** Number of finished replies, by status. */
  replies: Counter<'status'>
  /** Number of open WebSockets. */
  liveSockets: Gauge
  /** Seconds from the start of a chat reply to its end, including tool calls. */
  replySeconds: Histogram
  /** Seconds from the start of a model call to its first output. */
  firstToken: Histogram<'provider' | 'model'>
  /** Ended model calls, by their end: `ok`, `aborted`, or the reason of the failure. */
  modelCalls: Counter<'provider' | 'model' | 'outcome'>
  /** Seconds from the start of a model call to its end. */
  modelSeconds: Histogram<'provider' | 'model'>
  /** Number of clients that are reading an event stream. */
  streamsOpen: Gauge
  /** Number of charged tokens. */
  tokens: Counter<'provider' | 'model' | 'direction'>
  /** Charged credits. */
  credits: Counter<'provider' | 'model'>
  /** The labels of a model. */
  modelLabels: ModelLabels
  /** Number of requests refused by a rate limit. */
  rateLimited: Counter<'window'>
  /** Number of stalls of the event loop, by the work that ran. */
  stalls: Counter<'work'>
}

/** Counts the charged tokens and credits of a reply or another model call. */
export function countTokensPaid(
  { tokens, credits, modelLabels }: Pick<Metrics, 'tokens' | 'credits' | 'modelLabels'>,
  { inputTokens, outputTokens }: ModelUsage,
  paid: { target: ModelTarget; inputRatio: number; outputRatio: number },
): void {
  const labels = modelLabels.of(paid.target)
  tokens.inc({ ...labels, direction: 'input' }, inputTokens)
  tokens.inc({ ...labels, direction: 'output' }, outputTokens)
  credits.inc(labels, inputTokens * paid.inputRatio + outputTokens * paid.outputRatio)
}

/** Maximum numbers of models with a series of their own: of the installation, and of organizations. */
const INSTALLATION_MODELS_MAX = 100
const OWN_MODELS_MAX = 100
const MODEL_CHARACTERS_MAX = 100

/**
 * Bounds the labels of models. The first models that a process calls have series of their own, and all others are
 * `other`. Organizations can name models at will, so theirs cannot displace those of the installation.
 */
export class ModelLabels {
  readonly #installation = new Set<string>()
  readonly #own = new Set<string>()

  of({ provider, model, owner }: Pick<ModelTarget, 'provider' | 'model' | 'owner'>) {
    const name = model.slice(0, MODEL_CHARACTERS_MAX)
    const key = `${provider} ${name}`
    const [known, max] =
      owner === undefined ? [this.#installation, INSTALLATION_MODELS_MAX] : [this.#own, OWN_MODELS_MAX]
    if (!known.has(key) && known.size < max) known.add(key)
    return { provider, model: known.has(key) ? name : 'other' }
  }
}

const LATENCY_BUCKETS_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const FIRST_TOKEN_BUCKETS_SECONDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 90, 130]
const CALL_BUCKETS_SECONDS = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900]
const REPLY_BUCKETS_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 90, 120, 300]

export function createMetrics(): Metrics {
  const registry = new Registry()
  return {
    registry,
    requests: new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Seconds from the arrival of a request to the end of its response',
      labelNames: ['method', 'route', 'status', 'kind'],
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
      labelNames: ['provider', 'model'],
      buckets: FIRST_TOKEN_BUCKETS_SECONDS,
      registers: [registry],
    }),
    modelCalls: new Counter({
      name: 'parley_model_calls_total',
      help: 'Ended model calls by their end: ok, aborted, or the reason of the failure',
      labelNames: ['provider', 'model', 'outcome'],
      registers: [registry],
    }),
    modelSeconds: new Histogram({
      name: 'parley_model_call_seconds',
      help: 'Seconds from the start of a model call to its end',
      labelNames: ['provider', 'model'],
      buckets: CALL_BUCKETS_SECONDS,
      registers: [registry],
    }),
    credits: new Counter({
      name: 'parley_credits_total',
      help: 'Charged credits',
      labelNames: ['provider', 'model'],
      registers: [registry],
    }),
    modelLabels: new ModelLabels(),
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
    stalls: new Counter({
      name: 'parley_event_loop_stalls_total',
      help: `Stalls of the event loop of at least ${STALL_MS_MIN} ms, by the work that ran`,
      labelNames: ['work'],
      registers: [registry],
    }),
    tokens: new Counter({
      name: 'parley_tokens_total',
      help: 'Charged tokens',
      labelNames: ['provider', 'model', 'direction'],
      registers: [registry],
    }),
  }
}
