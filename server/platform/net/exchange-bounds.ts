import { sentence } from '#errors'

/** Maximum number of consecutive redirects. @limit consecutive redirects */
export const REDIRECTS_MAX = 5

/** Returns the target URL of a redirect. Returns null for an invalid URL or a redirect from https to http. */
export function redirectTarget(from: string, location: string | string[] | undefined): string | null {
  const next = URL.parse(String(location ?? ''), from)
  if (!location || !next || (next.protocol === 'http:' && from.startsWith('https:'))) return null
  return next.href
}

/** Returns a whole body. Returns null as soon as the body exceeds `bytesMax`. */
export async function readAll(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | null> {
  const { beginning, isCut } = await readBeginning(body, bytesMax)
  return isCut ? null : beginning
}

/** Returns the first `bytesMax` bytes of a body, and whether the body is longer. Does not wait for the rest. */
export async function readBeginning(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<{ beginning: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bytesMax) break
  }
  return { beginning: Buffer.concat(chunks, Math.min(bytes, bytesMax)), isCut: bytes > bytesMax }
}

/**
 * Runs work with a deadline. After `milliseconds`, aborts the work and rejects with the error that `tooSlow` returns.
 */
export async function withinTime<Result>(
  milliseconds: number,
  tooSlow: () => Error,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const bound = new AbortController()
  const abort = (): void => bound.abort(signal.reason)
  const timer = setTimeout(() => bound.abort(tooSlow()), milliseconds)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await work(bound.signal)
  } catch (error) {
    bound.signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Parses a Retry-After header (RFC 9110, 10.2.3), which contains seconds or a date. Returns milliseconds. Returns
 * undefined if the value is invalid or above `millisecondsMax`.
 */
export function parseRetryAfter(
  header: string | string[] | undefined,
  millisecondsMax: number,
): number | undefined {
  if (typeof header !== 'string') return undefined
  const isDate = header.endsWith(' GMT')
  if (!isDate && !/^\d+$/.test(header)) return undefined
  const milliseconds = isDate ? Date.parse(header) - Date.now() : Number(header) * 1000
  return milliseconds <= millisecondsMax ? Math.max(0, milliseconds) : undefined
}

export type ConnectionFailure = 'name' | 'time' | 'certificate' | 'argument' | 'other'

/** Describes a failed connection for the user who entered the URL. */
export function connectionSentence(host: string, error: unknown): string {
  switch (connectionFailureOf(error)) {
    case 'name':
      return sentence('net.name_unknown', { host })
    case 'time':
      return sentence('net.connection_timeout', { host })
    case 'certificate':
      return sentence('net.certificate', { host })
  }
  return sentence('net.connection_failed', { host })
}

/**
 * Classifies a failed connection: unknown name, timeout, TLS or certificate error, invalid argument, or another
 * failure.
 */
export function connectionFailureOf(error: unknown): ConnectionFailure {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const word = String(code ?? cause?.code ?? '')
  if (word === 'ENOTFOUND' || word === 'EAI_AGAIN') return 'name'
  if (word === 'UND_ERR_CONNECT_TIMEOUT') return 'time'
  if (word === 'UND_ERR_INVALID_ARG') return 'argument'
  return /CERT|TLS|SSL|SIGNATURE|EPROTO/.test(word) ? 'certificate' : 'other'
}
