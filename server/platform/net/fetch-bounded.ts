import { pipeline } from 'node:stream/promises'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { Dispatcher } from 'undici'
import { sentence } from '#errors'
import {
  connectionFailureOf,
  connectionSentence,
  REDIRECTS_MAX,
  readBeginning,
  redirectTarget,
  withinTime,
} from './exchange-bounds.ts'
import { type Net, NetError } from './index.ts'

/** User agent for third-party servers. In robots.txt, its first word identifies Parley. */
export const USER_AGENT = 'Parley (reads websites for its users)'

/**
 * Thrown if a server did not return the requested data. The message is written for the user who entered the URL.
 * `canTryAgain` is true for temporary failures, such as timeouts and broken connections.
 */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly canTryAgain: boolean

  constructor(
    message: string,
    { canTryAgain = false, ...options }: ErrorOptions & { canTryAgain?: boolean } = {},
  ) {
    super(message, options)
    this.canTryAgain = canTryAgain
  }
}

export interface BoundedRequest {
  /** Maximum size of a response in bytes, both compressed and decompressed. */
  bytesMax: number
  /** If true, a response beyond `bytesMax` is truncated. Otherwise the request fails. */
  isCut?: boolean
  /** Total timeout in milliseconds, including name resolution, redirects and the body. */
  timeoutMs: number
  /** Accepted media types. The body of a response with any other type is not read and is empty. */
  accept?: readonly string[]
  /**
   * Headers for requests to the first origin, but not to other origins after redirects. `accept`, `accept-encoding`
   * and `user-agent` cannot be set.
   */
  headers?: Record<string, string>
  /** Called before each redirect. If it throws, the request fails with its error. */
  onRedirect?: (url: string, signal: AbortSignal) => Promise<void>
  signal: AbortSignal
}

export interface BoundedAnswer {
  /** URL of the response, after redirects. */
  url: string
  status: number
  headers: Dispatcher.ResponseData['headers']
  /** The Content-Type header with its parameters. Empty if the header is missing. */
  contentType: string
  /** The decompressed body. Empty for a status of 300 or above, because error pages are not read. */
  body: Buffer
  etag: string | null
  lastModified: string | null
}

const ENCODINGS_MAX = 2
const HEADER_CHARACTERS_MAX = 1_000

/**
 * Fetches a URL given by a tenant. Checks the target of each redirect like the URL itself, and follows no redirect
 * from https to http. Returns a response with any status. Throws a NetError for a forbidden address, a FetchError for
 * any other failure, or the signal's reason.
 */
export async function fetchBounded(
  net: Net,
  address: string,
  request: BoundedRequest,
): Promise<BoundedAnswer> {
  const { timeoutMs, signal } = request
  const { host, origin } = net.checkUrl(address)
  const tooSlow = (): Error =>
    new FetchError(sentence('net.incomplete', { host, seconds: timeoutMs / 1000 }), {
      canTryAgain: true,
    })
  return withinTime(timeoutMs, tooSlow, signal, async (bounded) => {
    let url = address
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const own = net.checkUrl(url).origin === origin ? request.headers : {}
      const answer = await fetchOnce(net, url, { ...request, headers: own ?? {}, signal: bounded })
      if (!isRedirect(answer.status)) return answer
      const next = redirectTarget(url, answer.headers['location'])
      if (next === null) throw new FetchError(sentence('net.redirect_target', { host }))
      url = net.checkUrl(next).href
      await request.onRedirect?.(url, bounded)
    }
    throw new FetchError(sentence('net.redirects', { host, limit: REDIRECTS_MAX }))
  })
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

function fetchOnce(net: Net, address: string, request: BoundedRequest): Promise<BoundedAnswer> {
  const { accept, bytesMax, isCut = false, headers, signal } = request
  return exchangeOnce(net, address, {
    method: 'GET',
    headers: {
      ...headers,
      accept: accept === undefined ? '*/*' : `${accept.join(', ')}, */*;q=0.1`,
      'user-agent': USER_AGENT,
    },
    content: null,
    readsBody: (status, contentType) =>
      status < 300 && (accept === undefined || accept.includes(mediaTypeOf(contentType))),
    bytesMax,
    isCut,
    signal,
  })
}

/** A single request. Redirects are not followed. */
export interface BoundedExchange extends Pick<BoundedRequest, 'bytesMax' | 'isCut' | 'signal'> {
  method: Dispatcher.HttpMethod
  /** Headers of the request. `accept-encoding` cannot be set. */
  headers: Record<string, string>
  content: Buffer | null
  /** Returns whether to read the body. If false, the returned body is empty. */
  readsBody(status: number, contentType: string): boolean
}

/**
 * Like `fetchBounded`, but with any method, without following redirects, and without a timeout. The signal can abort
 * the request.
 */
export async function exchangeOnce(
  net: Net,
  address: string,
  exchange: BoundedExchange,
): Promise<BoundedAnswer> {
  const { origin, host, pathname, search } = net.checkUrl(address)
  const { method, content, bytesMax, signal } = exchange
  try {
    const { statusCode, headers, body } = await net.guarded.request({
      origin,
      path: pathname + search,
      method,
      headers: { ...exchange.headers, 'accept-encoding': 'gzip, br, deflate, zstd' },
      body: content,
      signal,
    })
    const contentType = headerOf(headers, 'content-type') ?? ''
    const readsBody = exchange.readsBody(statusCode, contentType)
    return {
      url: address,
      status: statusCode,
      headers,
      contentType,
      body: readsBody ? await readBody(host, headers, body, exchange) : leaveUnread(body),
      etag: headerOf(headers, 'etag'),
      lastModified: headerOf(headers, 'last-modified'),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NetError || error instanceof FetchError) throw error
    if (error instanceof TooMuch)
      throw new FetchError(sentence('net.too_large', { host, megabytes: bytesMax / 1e6 }))
    throw new FetchError(sentenceOf(host, error), { cause: error, canTryAgain: mayPass(error) })
  }
}

/** Returns `text/html` for `text/html; charset=utf-8`. */
export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(';')[0] ?? '').trim().toLowerCase()

function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string | null {
  const value = headers[name]
  const first = Array.isArray(value) ? value[0] : value
  return first === undefined || first.length > HEADER_CHARACTERS_MAX ? null : first
}

function leaveUnread(body: Dispatcher.ResponseData['body']): Buffer {
  // Destroying the body closes the connection and emits an error, which is ignored.
  body.on('error', () => {}).destroy()
  return Buffer.alloc(0)
}

class TooMuch extends Error {}

/**
 * Decompresses the body while reading, so that memory use stays below the limit. Closes the connection if the body
 * exceeds the limit.
 */
async function readBody(
  host: string,
  headers: Dispatcher.ResponseData['headers'],
  body: Dispatcher.ResponseData['body'],
  { bytesMax, isCut: mayBeCut = false, signal }: Pick<BoundedRequest, 'bytesMax' | 'isCut' | 'signal'>,
): Promise<Buffer> {
  let read: Buffer = Buffer.alloc(0)
  const keep = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    const { beginning, isCut } = await readBeginning(chunks, bytesMax)
    if (isCut && !mayBeCut) throw new TooMuch()
    read = beginning
  }
  const arriving = boundArriving(bytesMax)
  const [first, second] = encodingsOf(host, headers).map(unpackerOf)
  if (first === undefined) await pipeline(body, keep, { signal })
  else if (second === undefined) await pipeline(body, arriving, first, keep, { signal })
  else await pipeline(body, arriving, first, second, keep, { signal })
  return read
}

/** Limits the compressed size too, because data that grows when it is compressed is probably malicious. */
const boundArriving = (bytesMax: number) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new TooMuch()
      yield chunk
    }
  }

/**
 * Returns the content encodings of a response (RFC 9110, 8.4), the last applied encoding first. Throws a FetchError
 * for an unsupported encoding or too many encodings.
 */
function encodingsOf(host: string, headers: Dispatcher.ResponseData['headers']): string[] {
  const names = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse()
  if (names.length > ENCODINGS_MAX || names.some((name) => !ENCODINGS.has(name)))
    throw new FetchError(sentence('net.encoding', { host }))
  return names
}

const ENCODINGS = new Set(['gzip', 'x-gzip', 'br', 'deflate', 'zstd'])

type Unpacker = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>

const unpackerOf = (encoding: string): Unpacker =>
  async function* (chunks) {
    const source = chunks[Symbol.asyncIterator]()
    const { value: head } = await source.next()
    if (head === undefined) return
    const unpack = streamOf(encoding, head)
    const rest = async function* (): AsyncGenerator<Buffer> {
      yield head
      yield* { [Symbol.asyncIterator]: () => source }
    }
    const packed = pipeline(rest(), unpack)
    // Ignore the rejection here, because reading `unpack` throws the same error.
    packed.catch(() => {})
    yield* unpack as AsyncIterable<Buffer>
    await packed
  }

function streamOf(encoding: string, head: Buffer) {
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding === 'zstd') return createZstdDecompress()
  if (encoding !== 'deflate') return createGunzip()
  // Some servers omit the zlib header (RFC 9110, 8.4.1.2).
  return ((head[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
}

/**
 * Returns whether a retry may succeed. False for unknown names, TLS errors, and data that is damaged rather than
 * truncated.
 */
function mayPass(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  if (isOfPacking(error)) return code === 'Z_BUF_ERROR'
  if ([code, cause?.code].includes('ENOTFOUND')) return false
  return !['certificate', 'argument'].includes(connectionFailureOf(error))
}

const isOfPacking = (error: unknown): boolean =>
  /^(Z_|ERR__?BROTLI|ERR_BROTLI|ZSTD|ERR_ZSTD)/.test(String((error as { code?: unknown }).code))

function sentenceOf(host: string, error: unknown): string {
  if (isOfPacking(error)) return sentence('net.damaged', { host })
  return connectionSentence(host, error)
}
