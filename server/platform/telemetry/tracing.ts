import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { GroupTraces } from '#database/grouped.ts'

/**
 * OpenTelemetry tracing. If tracing is off, `services.tracing` is null and nothing is instrumented. Spans must not
 * contain secrets, URL queries, or text from users, models or tools.
 */
export interface Tracing {
  /** Starts a span, by default as a child of the current span. */
  begin(described: SpanDescription): Span
  /** Runs work within a new span. The span ends when the work ends. */
  span<R>(described: SpanDescription, work: (span: Span) => Promise<R>): Promise<R>
  /** Returns whether a span is current. */
  isInside(): boolean
  /** Runs work outside all traces, for example to start a timer that all requests share. */
  outside<R>(work: () => R): R
  /** Returns the trace fields for log lines. Undefined unless the current span is in exactly one trace. */
  ids(): { trace_id: string } | undefined
  /** Records a grouped statement in the traces of all requests that it serves. */
  groups: GroupTraces
  /** Exports the remaining spans, with a timeout. */
  stop(): Promise<void>
}

export interface SpanDescription {
  name: string
  /** Default: an internal span. */
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /**
   * Request headers. If set, the span continues the trace in these headers (W3C Trace Context), or starts a new
   * trace.
   */
  from?: IncomingHttpHeaders
}

/** Attributes of a span. The keys are defined in names.ts. */
export type Attributes = Record<string, string | number | string[]>

export interface Span {
  /** Runs work. Spans that start within it become children of this span. */
  within<R>(work: () => R): R
  rename(name: string): void
  set(attributes: Attributes): void
  /** Ends the span. Must be called exactly once. Records the code or class of an error, but not its message. */
  end(error?: unknown): void
}

/**
 * Opens tracing. Returns null without OTEL_EXPORTER_OTLP_ENDPOINT, in which case the implementation is not imported.
 */
export async function openTracing(
  config: Pick<Config, 'otlpEndpoint'>,
  log: Logger,
): Promise<Tracing | null> {
  if (config.otlpEndpoint === null) return null
  const { startTracing } = await import('./otlp-tracing.ts')
  return startTracing(config.otlpEndpoint, log)
}
