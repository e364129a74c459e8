import { sentence } from '#errors'

/** What bounds an exchange with a server that is not ours: how far it leads, how long it takes, how much it says. */

/** How many redirects are followed, one after another. */
export const REDIRECTS_MAX = 5

/** Where a redirect leads: null where it names no address, or leads from https to http. */
export function redirectTarget(from: string, location: string | string[] | undefined): string | null {
  const next = URL.parse(String(location ?? ''), from)
  if (!location || !next || (next.protocol === 'http:' && from.startsWith('https:'))) return null
  return next.href
}

/** All of a body, or null where it is more than `bytesMax`: the rest is not waited for. */
export async function readAll(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | null> {
  const { beginning, isCut } = await readBeginning(body, bytesMax)
  return isCut ? null : beginning
}

/** What a body begins with, and whether it is more than `bytesMax`: the rest is not waited for. */
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

/** The work must end within so many milliseconds: else it is aborted, and rejects with what `tooSlow` makes. */
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
 * Seconds or a date (RFC 9110, 10.2.3) as milliseconds; undefined where there is neither, or further away than
 * `millisecondsMax`.
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

/** A sentence for a connection that was not made, or broke, for the person who gave the address. */
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
 * What kept a connection from being made: a name without an address, the time, a certificate or a server that does not
 * speak https, what was to be sent; or something else.
 */
export function connectionFailureOf(error: unknown): ConnectionFailure {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const word = String(code ?? cause?.code ?? '')
  if (word === 'ENOTFOUND' || word === 'EAI_AGAIN') return 'name'
  if (word === 'UND_ERR_CONNECT_TIMEOUT') return 'time'
  if (word === 'UND_ERR_INVALID_ARG') return 'argument'
  return /CERT|TLS|SSL|SIGNATURE|EPROTO/.test(word) ? 'certificate' : 'other'
}
