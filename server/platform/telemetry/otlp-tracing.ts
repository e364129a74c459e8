import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import { hostname } from 'node:os'
import {
  type Context,
  createTraceState,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { NAMES } from './names.ts'
import type { Attributes, Span, SpanDescription, Tracing } from './tracing.ts'

/** Maximum number of queued spans. Further spans are dropped. */
const WAITING_SPANS_MAX = 4_096
const SPANS_A_REQUEST_MAX = 512
const SEND_EVERY_MS = 1_000
/** Timeout of one export to the collector, including retries. */
const SEND_TIMEOUT_MS = 5_000
/** Timeout for exporting the remaining spans when the process stops. */
const STOP_TIMEOUT_MS = 1_500
const WARN_EVERY_MS = 60_000
const ATTRIBUTE_CHARACTERS_MAX = 1_000
const TRACESTATE_CHARACTERS_MAX = 512

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/**
 * The parent contexts of new spans. There are several for a grouped statement, one for each request that it serves.
 */
type ParentContexts = readonly Context[]

/**
 * Starts exporting traces to a collector with OTLP over HTTP, in JSON. If the collector is unavailable, slow or
 * refuses spans, the spans are lost, and a warning is logged at most once a minute. The library reads
 * OTEL_EXPORTER_OTLP_HEADERS from the environment.
 */
export function startTracing(endpoint: string, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: SEND_TIMEOUT_MS })
  const processor = new BatchSpanProcessor({
    exporter: warnOfFailures(exporter, log),
    maxQueueSize: WAITING_SPANS_MAX,
    maxExportBatchSize: SPANS_A_REQUEST_MAX,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_TIMEOUT_MS + 1_000,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      [NAMES.serviceName]: 'parley',
      [NAMES.hostName]: hostname(),
      [NAMES.processId]: process.pid,
    }),
    spanLimits: { attributeValueLengthLimit: ATTRIBUTE_CHARACTERS_MAX },
    spanProcessors: [processor],
  })
  return new OtlpTracing(provider.getTracer('parley'), () => provider.shutdown())
}

class OtlpTracing implements Tracing {
  readonly #tracer: Tracer
  readonly #shutdown: () => Promise<void>
  readonly #parents = new AsyncLocalStorage<ParentContexts>()

  constructor(tracer: Tracer, shutdown: () => Promise<void>) {
    this.#tracer = tracer
    this.#shutdown = shutdown
  }

  begin({ name, kind, attributes = {}, from }: SpanDescription): Span {
    const parents = from ? [continued(from)] : (this.#parents.getStore() ?? [ROOT_CONTEXT])
    const options = {
      kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
      attributes: parents.length > 1 ? { ...attributes, [NAMES.batchSize]: parents.length } : attributes,
    }
    const spans = parents.map((context) => this.#tracer.startSpan(name, options, context))
    return new ContextSpan(this.#parents, parents, spans)
  }

  async span<R>(described: SpanDescription, work: (span: Span) => Promise<R>): Promise<R> {
    const span = this.begin(described)
    try {
      const result = await span.within(() => work(span))
      span.end()
      return result
    } catch (error) {
      span.end(error)
      throw error
    }
  }

  isInside(): boolean {
    return this.#parents.getStore() !== undefined
  }

  outside<R>(work: () => R): R {
    return this.#parents.run(undefined as unknown as ParentContexts, work)
  }

  ids(): { trace_id: string } | undefined {
    const [context, another] = this.#parents.getStore() ?? []
    const span = context && !another ? trace.getSpanContext(context) : undefined
    return span && { trace_id: span.traceId }
  }

  readonly groups: Tracing['groups'] = {
    current: () => this.#parents.getStore(),
    within: (parents, work) => {
      const all = (parents as (ParentContexts | undefined)[]).flatMap((contexts) => contexts ?? [])
      return this.#parents.run((all.length > 0 ? all : undefined) as ParentContexts, work)
    },
  }

  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_TIMEOUT_MS)
    })
    // Export failures have already been logged.
    await Promise.race([this.#shutdown().catch(() => {}), late])
    clearTimeout(timer)
  }
}

/** A span that is recorded in every trace of its context. */
class ContextSpan implements Span {
  readonly #storage: AsyncLocalStorage<ParentContexts>
  readonly #spans: OtelSpan[]
  readonly #inner: ParentContexts

  constructor(storage: AsyncLocalStorage<ParentContexts>, outer: ParentContexts, spans: OtelSpan[]) {
    this.#storage = storage
    this.#spans = spans
    this.#inner = spans.map((span, index) => trace.setSpan(outer[index] ?? ROOT_CONTEXT, span))
  }

  within<R>(work: () => R): R {
    return this.#storage.run(this.#inner, work)
  }

  rename(name: string): void {
    for (const span of this.#spans) span.updateName(name)
  }

  set(attributes: Attributes): void {
    for (const span of this.#spans) span.setAttributes(attributes)
  }

  end(error?: unknown): void {
    for (const span of this.#spans) {
      if (error !== undefined) {
        span.setAttribute(NAMES.errorType, kindOf(error))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    }
  }
}

const CODE = /^[\w.-]{1,60}$/

/**
 * Returns the error's code, such as a SQLSTATE or a Parley error code. Returns the name of the class if there is no
 * code. Never returns the message, which may contain user text.
 */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return CODE.test(String(error)) ? String(error) : '_OTHER'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && CODE.test(code) ? code : error.name
}

const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/

/** Returns the trace context of W3C Trace Context headers (level 1). Ignores a malformed traceparent. */
function continued({ traceparent, tracestate }: IncomingHttpHeaders): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(String(traceparent ?? '')) ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  const state = typeof tracestate === 'string' && tracestate.length <= TRACESTATE_CHARACTERS_MAX
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '0', 16) & 1,
    isRemote: true,
    ...(state && { traceState: createTraceState(tracestate) }),
  })
}

function warnOfFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY
  let lost = 0
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) {
          lost += spans.length
          if (performance.now() - warnedAt > WARN_EVERY_MS) {
            warnedAt = performance.now()
            log.warn({ err: result.error, spans: lost }, 'traces could not be exported')
            lost = 0
          }
        }
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
