import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What /metrics shows, in Prometheus' text format. A registry per process, so that tests don't share one. */
export interface Metrics {
  registry: Registry
  /** Seconds from a request's arrival to the end of its answer. */
  requests: Histogram<'method' | 'route' | 'status'>
  /** Replies that a model is writing now. */
  repliesOpen: Gauge
  /** Replies by how they ended. */
  replies: Counter<'status'>
  /** WebSockets that are open now. */
  liveSockets: Gauge
  /** Tokens that were paid for. */
  tokens: Counter<'direction'>
}

const LATENCY_BUCKETS_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Seconds from the arrival of a request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: LATENCY_BUCKETS_SECONDS,
      registers: [registry],
    }),
    repliesOpen: new Gauge({
      name: 'parley_replies_open',
      help: 'Replies that a model is writing now',
      registers: [registry],
    }),
    replies: new Counter({
      name: 'parley_replies_total',
      help: 'Replies by how they ended',
      labelNames: ['status'],
      registers: [registry],
    }),
    liveSockets: new Gauge({
      name: 'parley_live_sockets',
      help: 'WebSockets that are open now',
      registers: [registry],
    }),
    tokens: new Counter({
      name: 'parley_tokens_total',
      help: 'Tokens that were paid for',
      labelNames: ['direction'],
      registers: [registry],
    }),
  }
}
