import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { GroupTraces } from '#database/grouped.ts'

/**
 * OpenTelemetry tracing. If it is off, `services.tracing` is null and nothing is instrumented. Spans must not contain
 * secrets, URL queries, or text from users, models or tools.
 */
export interface Tracing {
  /** Starts a span. By default it is a child of the caller's span. */
  begin(described: SpanDescription): Span
  /** Runs work within a span, and ends the span with it. */
  span<R>(described: SpanDescription, work: (span: Span) => Promise<R>): Promise<R>
  /** Whether the caller is within a span. */
  isInside(): boolean
  /** Runs work outside all traces, such as starting a timer shared by all requests. */
  outside<R>(work: () => R): R
  /** Returns the fields to add to log lines. */
  ids(): { trace_id: string } | undefined
  /** Runs a grouped statement within the traces of all requests that it serves. */
  groups: GroupTraces
  /** Sends the remaining spans, with a timeout. */
  stop(): Promise<void>
}

export interface SpanDescription {
  name: string
  /** Default: internal. */
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /** Starts a trace, or continues the one named in these headers (W3C Trace Context). */
  from?: IncomingHttpHeaders
}

/** Keyed by names.ts. */
export type Attributes = Record<string, string | number | string[]>

export interface Span {
  /** Runs work whose spans become children of this one. */
  within<R>(work: () => R): R
  rename(name: string): void
  set(attributes: Attributes): void
  /** Ends the span; call it once. Records an error's code or class, but not its message. */
  end(error?: unknown): void
}

/** Returns null without OTEL_EXPORTER_OTLP_ENDPOINT. The implementation is only imported if it is set. */
export async function openTracing(
  config: Pick<Config, 'otlpEndpoint'>,
  log: Logger,
): Promise<Tracing | null> {
  if (config.otlpEndpoint === null) return null
  const { startTracing } = await import('./otlp-tracing.ts')
  return startTracing(config.otlpEndpoint, log)
}
