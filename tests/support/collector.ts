import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span received by the collector. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  /** The OTLP number of the span kind: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number
  /** The start time, as Unix time in milliseconds. */
  startedAt: number
  endedAt: number
  attributes: Record<string, unknown>
  hasFailed: boolean
}

export interface Collector {
  url: string
  spans: ReceivedSpan[]
  /** Returns all request bodies as received, concatenated. */
  text(): string
  close(): Promise<void>
}

/** Starts a trace collector on loopback that accepts OTLP over HTTP in JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST' || request.url !== '/v1/traces') {
        response.writeHead(404).end()
        return
      }
      const body = Buffer.concat(chunks).toString()
      bodies.push(body)
      spans.push(...spansOf(JSON.parse(body)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => bodies.join('\n'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface WireSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: { key: string; value: Record<string, unknown> }[]
  status?: { code?: number }
}

function spansOf(body: { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] }): ReceivedSpan[] {
  const wired = body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  return wired.map((span) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || undefined,
    name: span.name,
    kind: span.kind,
    startedAt: Number(span.startTimeUnixNano) / 1e6,
    endedAt: Number(span.endTimeUnixNano) / 1e6,
    attributes: Object.fromEntries((span.attributes ?? []).map(({ key, value }) => [key, plain(value)])),
    hasFailed: span.status?.code === 2,
  }))
}

function plain(value: Record<string, unknown>): unknown {
  const { arrayValue, intValue } = value as {
    arrayValue?: { values: Record<string, unknown>[] }
    intValue?: unknown
  }
  if (arrayValue) return arrayValue.values.map(plain)
  return intValue === undefined ? Object.values(value)[0] : Number(intValue)
}
