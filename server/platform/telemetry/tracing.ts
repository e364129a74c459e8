import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { GroupTraces } from '#database/grouped.ts'

/**
 * Traces for OpenTelemetry. Where they are off there is none of this: `services.tracing` is null, and what would be wrapped
 * is not. No text of a person, a model or a tool, no address with its query and no secret belongs into a span.
 */
export interface Tracing {
  /** Opens a span: a child of the one that surrounds the caller, unless it says otherwise. */
  begin(described: SpanDescription): Span
  /** Does work within a span, which ends with it. */
  span<R>(described: SpanDescription, work: (span: Span) => Promise<R>): Promise<R>
  /** Whether the caller is within a span. */
  isInside(): boolean
  /** Does work that belongs to nobody's trace, such as starting a timer that serves all. */
  outside<R>(work: () => R): R
  /** What log lines carry. */
  ids(): { trace_id: string } | undefined
  /** What a statement for several requests is done within: it stands in the traces of all. */
  groups: GroupTraces
  /** Sends what was not sent yet, in bounded time. */
  stop(): Promise<void>
}

export interface SpanDescription {
  name: string
  /** Default: internal. */
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /** It begins a trace, or continues the one that these headers tell of (W3C Trace Context). */
  from?: IncomingHttpHeaders
}

/** By names.ts. */
export type Attributes = Record<string, string | number | string[]>

export interface Span {
  /** Does work whose spans are children of this one. */
  within<R>(work: () => R): R
  rename(name: string): void
  set(attributes: Attributes): void
  /** Once. Of an error its kind is told, and none of its words. */
  end(error?: unknown): void
}

/** Null without OTEL_EXPORTER_OTLP_ENDPOINT. What it is made of is loaded only where there is one. */
export async function openTracing(
  config: Pick<Config, 'otlpEndpoint'>,
  log: Logger,
): Promise<Tracing | null> {
  if (config.otlpEndpoint === null) return null
  const { startTracing } = await import('./otlp-tracing.ts')
  return startTracing(config.otlpEndpoint, log)
}
