import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import type { Net } from '../net/index.ts'
import { describeConnectionFailure, describeStatus } from './failures.ts'
import { ModelError, type ModelTarget, type ModelTimeouts } from './types.ts'

/** One event of a provider's stream may have so many bytes; what has no end is cut off long before memory is. */
const EVENT_BYTES_MAX = 4 * 1024 * 1024
/** All of a reply, as the provider sends it. */
const STREAM_BYTES_MAX = 256 * 1024 * 1024
const ERROR_BODY_BYTES_MAX = 64 * 1024
const RETRIES_MAX = 2
const RETRY_AFTER_MAX_MS = 10_000
const RETRYABLE_STATUSES = [429, 503]

export interface Transport {
  net: Net
  timeouts: ModelTimeouts
}

export interface StreamRequest {
  target: ModelTarget
  /** Behind the target's base URL. */
  path: string
  headers: Record<string, string>
  body: unknown
  /** Takes each event; answers true with the provider's own end marker, after which nothing counts. */
  onEvent: (event: EventSourceMessage) => boolean
  /** For a format without such a marker: whether a stream that stops here is complete. */
  isComplete?: () => boolean
  signal: AbortSignal
}

/**
 * Posts a request and hands on the events of its answer until the provider's own end marker. An answer that just
 * stops, is silent too long, or is no stream of events is a ModelError. Before the stream has begun, a provider that
 * says when to come back (429 or 503 with Retry-After) is asked again; after that nothing is ever tried twice.
 */
export async function streamEvents(transport: Transport, request: StreamRequest): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptStream(transport, request)
    if (outcome === 'ended') return
    const { status, retryAfterMs, body } = outcome
    if (attempt === RETRIES_MAX || retryAfterMs === undefined || !RETRYABLE_STATUSES.includes(status))
      throw new ModelError(describeStatus(request.target, status, body))
    await pause(retryAfterMs, request.signal)
  }
}

interface Refusal {
  status: number
  retryAfterMs: number | undefined
  body: string
}

function attemptStream(transport: Transport, request: StreamRequest): Promise<'ended' | Refusal> {
  return new Promise((resolve, reject) => {
    const { target, signal } = request
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const handler = new StreamHandler(transport, request, resolve, reject)
    const url = new URL(target.baseUrl + request.path)
    const dispatcher = target.guarded ? transport.net.guarded : transport.net.open
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...request.headers },
        body: JSON.stringify(request.body),
      },
      handler,
    )
  })
}

/** One exchange with a provider. Callbacks from undici come in; the promise is settled once. */
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
  #bytes = 0
  #bytesSinceEvent = 0
  #settled = false

  constructor(
    { timeouts }: Transport,
    request: StreamRequest,
    resolve: (outcome: 'ended' | Refusal) => void,
    reject: (error: unknown) => void,
  ) {
    this.#timeouts = timeouts
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = this.#expect(timeouts.connectMs + timeouts.firstTokenMs, 'did not begin to answer')
    this.#parser = createParser({ onEvent: (event) => this.#take(event) })
    request.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) controller.abort(new Error('given up'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const type = String(headers['content-type'] ?? '')
    if (status !== 200)
      this.#refusal = { status, retryAfterMs: parseRetryAfter(headers['retry-after']), body: '' }
    else if (!type.includes('text/event-stream')) this.#fail(notEvents(this.#request.target, type))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#refusal) {
      if (this.#refusal.body.length < ERROR_BODY_BYTES_MAX) this.#refusal.body += this.#decoder.write(chunk)
      return
    }
    this.#bytes += chunk.length
    this.#bytesSinceEvent += chunk.length
    if (this.#bytes > STREAM_BYTES_MAX || this.#bytesSinceEvent > EVENT_BYTES_MAX + chunk.length)
      return this.#fail(new ModelError(`${this.#request.target.provider} sent more than a reply can be`))
    try {
      this.#parser.feed(this.#decoder.write(chunk))
    } catch (error) {
      this.#fail(error instanceof SyntaxError ? notAnEvent(this.#request.target, error) : error)
    }
  }

  onResponseEnd(): void {
    if (this.#settled) return
    if (this.#refusal) this.#finish(() => this.#resolve(this.#refusal as Refusal))
    else if (this.#request.isComplete?.()) this.#finish(() => this.#resolve('ended'))
    else this.#fail(new ModelError(`${this.#request.target.provider} ended the reply before it was complete`))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) return
    this.#fail(describeConnectionFailure(this.#request.target, error, this.#bytes > 0))
  }

  #take(event: EventSourceMessage): void {
    if (this.#settled) return
    if (this.#bytesSinceEvent === this.#bytes) {
      clearTimeout(this.#timer)
      this.#timer = this.#expect(this.#timeouts.betweenTokensMs, 'stopped in the middle of its reply')
    } else this.#timer.refresh()
    this.#bytesSinceEvent = 0
    if (this.#request.onEvent(event)) this.#finish(() => this.#resolve('ended'))
  }

  #expect(milliseconds: number, what: string): NodeJS.Timeout {
    const seconds = Math.round(milliseconds / 1000)
    return setTimeout(
      () => this.#fail(new ModelError(`${this.#request.target.provider} ${what} within ${seconds} seconds`)),
      milliseconds,
    )
  }

  #fail(error: unknown): void {
    this.#finish(() => {
      this.#reject(error)
      this.#controller?.abort(error instanceof Error ? error : new Error('given up'))
    })
  }

  #finish(settle: () => void): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.#request.signal.removeEventListener('abort', this.#onAbort)
    settle()
  }
}

const notEvents = ({ provider }: ModelTarget, type: string): ModelError =>
  new ModelError(
    `${provider} answered with ${type.split(';')[0] || 'something'} instead of a stream of events. Check the base_url.`,
  )

const notAnEvent = ({ provider }: ModelTarget, cause: SyntaxError): ModelError =>
  new ModelError(`${provider} sent something that is no event of its format. Check the base_url.`, { cause })

/** Seconds or a date (RFC 9110, Retry-After) as milliseconds; undefined where there is none, or too far away. */
function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return milliseconds <= RETRY_AFTER_MAX_MS ? Math.max(0, milliseconds) : undefined
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** A JSON answer of a provider, bounded. Throws a ModelError. */
export async function getJson(
  { net, timeouts }: Transport,
  target: ModelTarget,
  path: string,
  headers: Record<string, string>,
): Promise<unknown> {
  const url = new URL(target.baseUrl + path)
  const signal = AbortSignal.timeout(timeouts.connectMs)
  try {
    const dispatcher = target.guarded ? net.guarded : net.open
    const response = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers,
      signal,
    })
    if (response.statusCode !== 200) {
      await response.body.dump({ limit: ERROR_BODY_BYTES_MAX })
      throw new ModelError(describeStatus(target, response.statusCode, ''))
    }
    let text = ''
    const decoder = new StringDecoder('utf8')
    for await (const chunk of response.body) {
      text += decoder.write(chunk as Buffer)
      if (text.length > EVENT_BYTES_MAX) throw new ModelError(`${target.provider} answered with too much`)
    }
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof ModelError) throw error
    throw describeConnectionFailure(target, error as Error, false)
  }
}
