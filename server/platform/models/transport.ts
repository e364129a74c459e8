import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import { reasonFor } from '#errors'
import { parseRetryAfter } from '../net/exchange-bounds.ts'
import { type Net, NetError } from '../net/index.ts'
import {
  describeConnectionFailure,
  describeRefusal,
  incomplete,
  notAnEvent,
  notEvents,
  type Refusal,
  type TimeoutCode,
  tooMuch,
  tooSlow,
} from './failures.ts'
import { pause } from './pause.ts'
import { ModelError, type ModelTarget, type ModelTimeouts } from './types.ts'

/** Maximum size of one event in a provider's stream, to bound memory. */
const EVENT_BYTES_MAX = 4 * 1024 * 1024
/** Maximum size of a whole reply as sent by the provider. */
const STREAM_BYTES_MAX = 128 * 1024 * 1024
const ERROR_BODY_BYTES_MAX = 64 * 1024
/**
 * Maximum milliseconds between a reply's end marker and the end of the response. If the response takes longer, its
 * connection is closed.
 */
const DRAIN_TIMEOUT_MS = 1_000
const RETRIES_MAX = 2
const RETRY_AFTER_MAX_MS = 10_000
const RETRYABLE_STATUSES = [429, 503]

export interface Transport {
  net: Net
  timeouts: ModelTimeouts
  /** False fails instead of waiting for a Retry-After. */
  waits: boolean
}

export interface StreamRequest {
  target: ModelTarget
  /** Path that is appended to the target's base URL. */
  path: string
  headers: Record<string, string>
  body: unknown
  /**
   * Processes an event. Returns true for the provider's end marker, after which events are ignored. An exception ends
   * the stream. A SyntaxError, TypeError or RangeError is reported as an event in an unexpected format.
   */
  onEvent: (event: EventSourceMessage) => boolean
  /** For formats without an end marker: returns true if a stream that ends now is complete. */
  isComplete?: () => boolean
  signal: AbortSignal
}

/**
 * Posts a request and passes the response's events to `onEvent`, up to the end marker. Rejects with a ModelError if
 * the response ends early, stays silent too long, or is no event stream. Retries 429 and 503 with Retry-After, but
 * only before the stream starts.
 */
export async function streamEvents(transport: Transport, request: StreamRequest): Promise<void> {
  const url = addressOf(transport.net, request.target, request.path)
  const body = JSON.stringify(request.body)
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptStream(transport, request, url, body)
    if (outcome === 'ended') return
    const waitMs = parseRetryAfter(outcome.retryAfter, RETRY_AFTER_MAX_MS)
    if (
      !transport.waits ||
      attempt === RETRIES_MAX ||
      waitMs === undefined ||
      !RETRYABLE_STATUSES.includes(outcome.status)
    )
      throw describeRefusal(request.target, outcome)
    await pause(waitMs, request.signal)
  }
}

/** Returns the URL of a path below the target's base URL. Throws a ModelError if the URL is invalid or forbidden. */
export function addressOf(net: Net, { baseUrl, guarded }: ModelTarget, path: string): URL {
  try {
    return guarded ? net.checkUrl(baseUrl + path) : new URL(baseUrl + path)
  } catch (cause) {
    const reason = cause instanceof NetError ? cause : reasonFor('model.address')
    throw new ModelError(reason, { kind: 'configuration', cause })
  }
}

function attemptStream(
  { net, timeouts }: Transport,
  request: StreamRequest,
  url: URL,
  body: string,
): Promise<'ended' | Refusal> {
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(request.signal.reason)
    const dispatcher = request.target.guarded ? net.guarded : net.open
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...request.headers },
        body,
      },
      new StreamHandler(timeouts, request, resolve, reject),
    )
  })
}

/** Handles one exchange with a provider: receives undici's callbacks and settles the promise once. */
class StreamHandler implements Dispatcher.DispatchHandler {
  readonly #timeouts: ModelTimeouts
  readonly #request: StreamRequest
  readonly #resolve: (outcome: 'ended' | Refusal) => void
  readonly #reject: (error: unknown) => void
  readonly #decoder = new StringDecoder('utf8')
  readonly #parser: ReturnType<typeof createParser>
  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason)
  #controller: Dispatcher.DispatchController | undefined
  #timer: NodeJS.Timeout
  #refusal: Refusal | undefined
  #hasAnswered = false
  #hasBegun = false
  #bytes = 0
  #bytesSinceEvent = 0
  #settled = false

  constructor(
    timeouts: ModelTimeouts,
    request: StreamRequest,
    resolve: (outcome: 'ended' | Refusal) => void,
    reject: (error: unknown) => void,
  ) {
    this.#timeouts = timeouts
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = this.#expect(timeouts.connectMs + timeouts.firstTokenMs, 'model.timeout_start')
    this.#parser = createParser({ onEvent: (event) => this.#take(event) })
    request.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) controller.abort(GIVEN_UP)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return // an interim response, such as 103: the final one follows
    this.#hasAnswered = true
    const type = String(headers['content-type'] ?? '')
    if (status !== 200) this.#refusal = { status, words: '', retryAfter: headers['retry-after'] }
    else if (!type.includes('text/event-stream')) this.#fail(notEvents(this.#request.target, type))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#refusal) return this.#hear(this.#refusal, chunk)
    if (this.#bytesSinceEvent > EVENT_BYTES_MAX || this.#bytes > STREAM_BYTES_MAX)
      return this.#fail(tooMuch(this.#request.target))
    this.#bytes += chunk.length
    this.#bytesSinceEvent += chunk.length
    try {
      this.#parser.feed(this.#decoder.write(chunk))
    } catch (error) {
      return this.#fail(isFormatError(error) ? notAnEvent(this.#request.target, error) : error)
    }
    if (this.#bytesSinceEvent === 0 && !this.#settled) this.#awaitNext()
  }

  onResponseEnd(): void {
    if (this.#settled) return clearTimeout(this.#timer)
    if (this.#refusal) this.#settle(() => this.#resolve(this.#refusal as Refusal))
    else if (this.#request.isComplete?.()) this.#settle(() => this.#resolve('ended'))
    else this.#fail(incomplete(this.#request.target))
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) return clearTimeout(this.#timer)
    this.#fail(describeConnectionFailure(this.#request.target, error, this.#hasAnswered))
  }

  #take(event: EventSourceMessage): void {
    if (this.#settled) return
    this.#bytesSinceEvent = 0
    if (this.#request.onEvent(event)) this.#end()
  }

  /** Stores the beginning of an error body. Aborts the request once the beginning is long enough. */
  #hear(refusal: Refusal, chunk: Buffer): void {
    this.#bytes += chunk.length
    refusal.words += this.#decoder.write(chunk)
    if (this.#bytes < ERROR_BODY_BYTES_MAX) return
    this.#settle(() => this.#resolve(refusal))
    this.#controller?.abort(GIVEN_UP)
  }

  #awaitNext(): void {
    if (this.#hasBegun) return void this.#timer.refresh()
    this.#hasBegun = true
    clearTimeout(this.#timer)
    this.#timer = this.#expect(this.#timeouts.betweenTokensMs, 'model.timeout_stalled')
  }

  #expect(milliseconds: number, code: TimeoutCode): NodeJS.Timeout {
    return setTimeout(() => this.#fail(tooSlow(this.#request.target, code, milliseconds)), milliseconds)
  }

  /** Resolves at the end marker. The connection can be reused if the response ends soon afterwards. */
  #end(): void {
    this.#settle(() => this.#resolve('ended'))
    this.#timer = setTimeout(() => this.#controller?.abort(GIVEN_UP), DRAIN_TIMEOUT_MS).unref()
  }

  #fail(error: unknown): void {
    if (this.#settled) return
    this.#settle(() => this.#reject(error))
    this.#controller?.abort(GIVEN_UP)
  }

  #settle(report: () => void): void {
    this.#settled = true
    clearTimeout(this.#timer)
    this.#request.signal.removeEventListener('abort', this.#onAbort)
    report()
  }
}

const isFormatError = (error: unknown): boolean =>
  error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError

/** Reason for aborting undici's request after the promise is settled. No caller sees this error. */
const GIVEN_UP = new Error('The request was abandoned')
