import type { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import { reasonFor } from '#errors'
import { parseRetryAfter } from '../net/exchange-bounds.ts'
import { type Net, NetError } from '../net/index.ts'
import {
  describeConnectionFailure,
  describeErrorEvent,
  describeRefusal,
  incomplete,
  notAnEvent,
  notEvents,
  type Refusal,
  refusalInStream,
  type TimeoutCode,
  tooMuch,
  tooSlow,
} from './failures.ts'
import { pause } from './pause.ts'
import { decompressorFor, StreamBody } from './stream-body.ts'
import { ModelError, type ModelTarget, type ModelTimeouts } from './types.ts'

/** Maximum size of one event in a provider's stream, to bound memory. */
const EVENT_BYTES_MAX = 4 * 1024 * 1024
/** Maximum size of a whole reply as sent by the provider. @limit reply as a provider sends it */
const STREAM_BYTES_MAX = 128 * 1024 * 1024
const ERROR_BODY_BYTES_MAX = 64 * 1024
/**
 * Maximum milliseconds between a reply's end marker and the end of the response. If the response takes longer, its
 * connection is closed.
 */
const DRAIN_TIMEOUT_MS = 1_000
const RETRIES_MAX = 2
/** Maximum retries with another body. */
const REWORDINGS_MAX = 3
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
  /** Returns true if a stream that ends now, without an end marker, is complete. */
  isComplete: () => boolean
  /**
   * Returns another body for a refused request, or undefined if the refusal is final. Errors inside a stream count as
   * refusals, too.
   */
  onRefusal?: (refusal: Refusal) => unknown
  signal: AbortSignal
}

/**
 * Posts a request and passes the response's events to `onEvent`, up to the end marker. Rejects with a ModelError if
 * the response ends early, stays silent too long, or is no event stream. Retries 429 and 503 with Retry-After, but
 * only before the stream starts.
 */
export async function streamEvents(transport: Transport, request: StreamRequest): Promise<void> {
  const url = addressOf(transport.net, request.target, request.path)
  let body = JSON.stringify(request.body)
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptStream(transport, request, url, body)
    if (outcome === 'ended') return
    const other = attempt < REWORDINGS_MAX ? request.onRefusal?.(outcome) : undefined
    if (other !== undefined) {
      body = JSON.stringify(other)
      continue
    }
    if (outcome.error) throw outcome.error
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
  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason)
  readonly #decoder = new StringDecoder('utf8')
  #body: StreamBody
  #controller: Dispatcher.DispatchController | undefined
  /** Set for a compressed body. */
  #decompressor: Transform | undefined
  #timer: NodeJS.Timeout
  #type = ''
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
    this.#body = new StreamBody(true, this.#take)
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
    this.#type = String(headers['content-type'] ?? '')
    if (status > 299) this.#refusal = { status, words: '', retryAfter: headers['retry-after'] }
    this.#body = new StreamBody(this.#type.toLowerCase().includes('text/event-stream'), this.#take)
    this.#decompressor = decompressorFor(String(headers['content-encoding'] ?? ''))
    this.#decompressor
      ?.on('data', (chunk: Buffer) => this.#read(chunk))
      .on('error', (error) => this.#break(error))
      .on('end', () => this.#finish())
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#decompressor) this.#decompressor.write(chunk)
    else this.#read(chunk)
  }

  onResponseEnd(): void {
    if (this.#settled) return clearTimeout(this.#timer)
    if (this.#decompressor) this.#decompressor.end()
    else this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) return clearTimeout(this.#timer)
    this.#break(error)
  }

  #read(chunk: Buffer): void {
    if (this.#settled) return
    if (this.#refusal) return this.#hear(this.#refusal, chunk)
    if (this.#bytesSinceEvent > EVENT_BYTES_MAX || this.#bytes > STREAM_BYTES_MAX)
      return this.#fail(tooMuch(this.#request.target))
    this.#bytes += chunk.length
    this.#bytesSinceEvent += chunk.length
    if (!this.#parse(() => this.#body.feed(chunk))) return
    if (this.#bytesSinceEvent === 0 && !this.#settled) this.#awaitNext()
  }

  #finish(): void {
    if (this.#settled) return
    if (this.#refusal) return this.#settle(() => this.#resolve(this.#refusal as Refusal))
    const { isComplete, target } = this.#request
    const isWhole = isComplete() // An event that is cut off after the reply is no fault of the reply.
    if (!this.#parse(() => this.#body.end(), isWhole)) return
    if (isComplete()) this.#settle(() => this.#resolve('ended'))
    else this.#fail(incomplete(target))
  }

  /** Ends a response whose connection broke. The reply may be complete, or the refusal may be known. */
  #break(error: Error): void {
    if (this.#settled) return
    if (this.#request.isComplete()) this.#finish()
    else this.#fail(describeConnectionFailure(this.#request.target, error, this.#hasAnswered))
  }

  /** Runs a step of the parser. Returns false if the reply has ended. */
  #parse(step: () => boolean, ignoresFormat = false): boolean {
    try {
      if (!step()) this.#fail(notEvents(this.#request.target, this.#type))
    } catch (error) {
      if (!isFormatError(error)) this.#fail(error)
      else if (!ignoresFormat) this.#fail(notAnEvent(this.#request.target, error))
    }
    return !this.#settled
  }

  readonly #take = (event: EventSourceMessage): void => {
    if (this.#settled || isBlank(event.data)) return
    this.#bytesSinceEvent = 0
    try {
      if (event.event === 'error') throw describeErrorEvent(this.#request.target, parsedOr(event.data))
      if (this.#request.onEvent(event)) this.#end()
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const words = event.data.slice(0, ERROR_BODY_BYTES_MAX)
      this.#settle(() => this.#resolve(refusalInStream(parsedOr(words), words, error)))
      this.#controller?.abort(GIVEN_UP)
    }
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
    return setTimeout(() => {
      if (this.#request.isComplete()) this.#end()
      else this.#fail(tooSlow(this.#request.target, code, milliseconds))
    }, milliseconds)
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
    this.#decompressor?.destroy()
    this.#request.signal.removeEventListener('abort', this.#onAbort)
    report()
  }
}

/** Returns whether an event is a heartbeat. */
const isBlank = (data: string): boolean => (data.charCodeAt(0) <= SPACE ? data.trim() === '' : data === '')
const SPACE = 32

/** Returns the JSON value of a text, or the text if it is not JSON. */
function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isFormatError = (error: unknown): boolean =>
  error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError

/** Reason for aborting undici's request after the promise is settled. No caller sees this error. */
const GIVEN_UP = new Error('The request was abandoned')
