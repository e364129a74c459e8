import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Markers, ReplyReader } from './reply-reader.ts'

const DRAIN_TIMEOUT_MS = 20_000
const DRAIN_POLL_MS = 10
const RETRY_DELAY_MS = 20

/** A request, and the properties of a complete reply to it. */
export interface Target {
  url: string
  /** One URL per connection, for requests that must differ between connections. */
  urls?: string[]
  /** One body per connection. */
  bodies?: unknown[]
  headers: Record<string, string>
  body: unknown
  markers: Markers
  /** Tokens of a complete reply. */
  tokens: number
}

export interface LoadShape {
  /** Number of connections. Each sends a request, reads the whole reply, and repeats. */
  connections: number
  /** Connections start spread over this time, so that long replies don't run in lockstep. */
  spreadSeconds: number
  warmUpSeconds: number
  seconds: number
}

export interface Load<Sample> {
  streamsPerSecond: number
  tokensPerSecond: number
  /** Tokens received during the measurement. */
  tokens: number
  firstTokenMs: Percentiles
  /** The number of errors by kind, including the warm-up. */
  errors: Record<string, number>
  /** Complete replies of the whole run, including the warm-up. */
  finishedStreams: number
  /** The load generator's own CPU seconds, and the share of time that its event loop was busy. */
  client: { cpuSeconds: number; utilization: number }
  before: Sample
  after: Sample
}

export interface Percentiles {
  p50: number
  p95: number
  p99: number
}

/**
 * Generates load on a server and measures it from outside. Calls `sample` at the start and the end of the measurement.
 * Reads every started reply to its end before it returns.
 */
export async function generateLoad<Sample>(
  target: Target,
  shape: LoadShape,
  sample: () => Sample,
): Promise<Load<Sample>> {
  const tally = new Tally()
  const connections = Array.from({ length: shape.connections }, (_, index) => {
    const { urls, bodies } = target
    return new Connection(
      { ...target, url: urls?.[index] ?? target.url, body: bodies?.[index] ?? target.body },
      tally,
    )
  })
  const spreadMs = (shape.spreadSeconds * 1000) / shape.connections
  const starts = connections.map((connection, index) => setTimeout(() => connection.open(), index * spreadMs))
  await sleep((shape.spreadSeconds + shape.warmUpSeconds) * 1000)

  const before = sample()
  const cpu = process.cpuUsage()
  const utilization = performance.eventLoopUtilization()
  const begin = performance.now()
  tally.measuring = true
  await sleep(shape.seconds * 1000)
  tally.measuring = false
  const seconds = (performance.now() - begin) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const client = {
    cpuSeconds: (user + system) / 1e6,
    utilization: performance.eventLoopUtilization(utilization).utilization,
  }
  const after = sample()

  for (const start of starts) clearTimeout(start)
  await drain(connections, tally)
  return {
    streamsPerSecond: tally.streams / seconds,
    tokensPerSecond: tally.tokens / seconds,
    tokens: tally.tokens,
    firstTokenMs: percentiles(tally.firstTokenMs),
    errors: tally.errors,
    finishedStreams: tally.finishedStreams,
    client,
    before,
    after,
  }
}

/** Counters that all connections share. */
class Tally {
  measuring = false
  stopping = false
  streams = 0
  tokens = 0
  finishedStreams = 0
  readonly firstTokenMs: number[] = []
  readonly errors: Record<string, number> = {}

  finish(): void {
    this.finishedStreams++
    if (this.measuring) this.streams++
  }

  fail(kind: string): void {
    this.errors[kind] = (this.errors[kind] ?? 0) + 1
  }
}

/** A closed loop of requests. Opens a new socket when the server has closed the last one. */
class Connection {
  readonly #target: Target
  readonly #request: Buffer
  readonly #tally: Tally
  #socket: Socket | undefined
  /** Reads the current reply. Undefined between replies. */
  #reader: ReplyReader | undefined
  #sentAt = 0
  #sentWhileMeasuring = false

  constructor(target: Target, tally: Tally) {
    this.#target = target
    this.#request = encodeRequest(target)
    this.#tally = tally
  }

  get busy(): boolean {
    return this.#reader !== undefined
  }

  open(): void {
    if (this.#tally.stopping) return
    const { hostname, port } = new URL(this.#target.url)
    const socket = connect({ host: hostname, port: Number(port || 80), noDelay: true })
    let reason = 'early'
    socket.on('connect', () => this.#send())
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code ?? error.message
    })
    socket.on('close', () => {
      if (this.#socket !== socket) return
      const reader = this.#reader
      this.#reader = undefined
      if (reader?.endsAtClose) this.#judge(reader)
      else if (reader || !this.#tally.stopping) this.#tally.fail(`closed ${reason}`)
      setTimeout(() => this.open(), RETRY_DELAY_MS)
    })
    this.#socket = socket
  }

  destroy(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #send(): void {
    if (this.#tally.stopping) return
    this.#reader = new ReplyReader(this.#target.markers)
    this.#sentAt = performance.now()
    this.#sentWhileMeasuring = this.#tally.measuring
    this.#socket?.write(this.#request)
  }

  #receive(bytes: Buffer): void {
    const reader = this.#reader
    if (reader === undefined) return this.#tally.fail('unexpected data')
    const before = reader.tokens
    const complete = reader.read(bytes)
    if (this.#tally.measuring) this.#tally.tokens += reader.tokens - before
    if (this.#sentWhileMeasuring && before === 0 && reader.tokens > 0) {
      this.#tally.firstTokenMs.push(performance.now() - this.#sentAt)
    }
    if (complete) this.#continue(reader)
  }

  #continue(reader: ReplyReader): void {
    this.#reader = undefined
    const whole = this.#judge(reader)
    if (reader.closes) {
      this.destroy()
      this.open()
    } else if (whole) {
      this.#send()
    } else {
      setTimeout(() => this.#send(), RETRY_DELAY_MS)
    }
  }

  /** Counts a response as finished or failed. Returns whether the reply is complete. */
  #judge(reader: ReplyReader): boolean {
    const problem = this.#problemOf(reader)
    if (problem === undefined) this.#tally.finish()
    else this.#tally.fail(problem)
    return problem === undefined
  }

  /** Returns why a reply is incomplete. Undefined if it is complete. */
  #problemOf({ status, ended, tokens }: ReplyReader): string | undefined {
    if (status !== 200) return `status ${status}`
    if (!ended) return 'no end'
    if (tokens !== this.#target.tokens) return `${tokens} tokens`
    return undefined
  }
}

/** Lets every connection read its current reply to the end, then closes all connections. */
async function drain(connections: Connection[], tally: Tally): Promise<void> {
  tally.stopping = true
  const deadline = Date.now() + DRAIN_TIMEOUT_MS
  while (connections.some(({ busy }) => busy) && Date.now() < deadline) await sleep(DRAIN_POLL_MS)
  for (const connection of connections) {
    if (connection.busy) tally.fail('unfinished')
    connection.destroy()
  }
}

function encodeRequest({ url, headers, body }: Target): Buffer {
  const { host, pathname, search } = new URL(url)
  const payload = JSON.stringify(body)
  const lines = Object.entries({
    Host: host,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(payload)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from([`POST ${pathname}${search} HTTP/1.1`, ...lines, '', payload].join('\r\n'))
}

export function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
