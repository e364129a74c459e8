import { sentence } from '#errors'

/** Limits for exchanges with third-party servers: redirects, time and size. */

/** Maximum number of consecutive redirects. */
export const REDIRECTS_MAX = 5

/** Returns a redirect's target; null for an invalid URL or a redirect from https to http. */
export function redirectTarget(from: string, location: string | string[] | undefined): string | null {
  const next = URL.parse(String(location ?? ''), from)
  if (!location || !next || (next.protocol === 'http:' && from.startsWith('https:'))) return null
  return next.href
}

/** Returns a whole body, or null if it exceeds `bytesMax`. Does not wait for the rest. */
export async function readAll(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | null> {
  const { beginning, isCut } = await readBeginning(body, bytesMax)
  return isCut ? null : beginning
}

/** Returns the beginning of a body, and whether it exceeds `bytesMax`. Does not wait for the rest. */
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
 * Runs work with a deadline. After `milliseconds` the work is aborted and the promise rejects with the result of
 * `tooSlow`.
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
 * Parses Retry-After (RFC 9110, 10.2.3): seconds or a date. Returns milliseconds, or undefined if it is invalid or
 * above `millisecondsMax`.
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

/** Describes a failed connection for the user who entered the address. */
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

/** Classifies a failed connection: unknown name, timeout, TLS or certificate error, invalid argument, or other. */
export function connectionFailureOf(error: unknown): ConnectionFailure {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const word = String(code ?? cause?.code ?? '')
  if (word === 'ENOTFOUND' || word === 'EAI_AGAIN') return 'name'
  if (word === 'UND_ERR_CONNECT_TIMEOUT') return 'time'
  if (word === 'UND_ERR_INVALID_ARG') return 'argument'
  return /CERT|TLS|SSL|SIGNATURE|EPROTO/.test(word) ? 'certificate' : 'other'
}
