import type { Kept } from './kept.ts'

/** A message as the server has it. */
export interface StoredMessage {
  id: string
  role: 'user' | 'assistant'
  content: string
  status: 'streaming' | 'complete' | 'stopped' | 'error'
}

/** The server's answer that something is not to be. `status` is HTTP's. */
export class Refusal extends Error {
  readonly status: number
  /** From Retry-After, in seconds. */
  readonly waitSeconds: number | null

  constructor({ status, headers }: Response) {
    super(`The server answered ${status}`)
    this.status = status
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.waitSeconds = Number.isFinite(seconds) ? seconds : null
  }
}

/** No answer, or none that is the server's: worth another try. */
export class Unreachable extends Error {}

const KEY_BYTES = 32
const VISITOR_KEY = /^[\w-]{43}$/
/** A token with less time left than this is renewed before it is used. */
const TOKEN_MARGIN_MS = 30_000
/** How long the server may take to begin an answer. */
const ANSWER_MS = 30_000

/** The requests that a visitor makes. All throw Refusal or Unreachable. */
export class VisitorApi {
  readonly #deploymentId: string
  readonly #kept: Kept
  #token: { text: string; renewAt: number } | undefined
  #renewing: Promise<string> | undefined

  constructor(deploymentId: string, kept: Kept) {
    this.#deploymentId = deploymentId
    this.#kept = kept
  }

  /** Finds out whether this deployment talks to visitors. */
  async enter(): Promise<void> {
    await this.#findToken()
  }

  /** Sends a message. A repeat with the same `onceKey` is answered by the reply that the first one began. */
  send(content: string, sessionId: string | null, onceKey: string, signal: AbortSignal): Promise<Response> {
    return this.#request('POST', '/api/agent_deploy/chat', {
      body: JSON.stringify({ content, ...(sessionId !== null && { session_id: sessionId }) }),
      headers: { 'content-type': 'application/json', 'idempotency-key': onceKey },
      signal,
    })
  }

  /** The rest of the newest reply; null when nothing is left of it, or when the event is not one of that reply. */
  async resume(sessionId: string, lastEventId: string | null, signal: AbortSignal): Promise<Response | null> {
    try {
      const response = await this.#request('GET', `/api/agent_deploy/stream?session_id=${sessionId}`, {
        headers: lastEventId === null ? {} : { 'last-event-id': lastEventId },
        signal,
      })
      return response.status === 204 ? null : response
    } catch (error) {
      if (error instanceof Refusal && error.status === 400) return null
      throw error
    }
  }

  async readSession(sessionId: string): Promise<StoredMessage[]> {
    const response = await this.#request('GET', `/api/agent_deploy/session?session_id=${sessionId}`)
    const { messages } = (await readJson(response)) as { messages: StoredMessage[] }
    return messages
  }

  async stop(sessionId: string): Promise<void> {
    await this.#request('POST', `/api/agent_deploy/stop?session_id=${sessionId}`)
  }

  async #request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const attempt = async (token: string): Promise<Response> =>
      ask(path, { ...options, method, headers: { ...options.headers, authorization: `Bearer ${token}` } })
    let response = await attempt(await this.#findToken())
    if (response.status === 401) {
      this.#token = undefined
      response = await attempt(await this.#findToken())
    }
    return accept(response)
  }

  async #findToken(): Promise<string> {
    if (this.#token && Date.now() < this.#token.renewAt) return this.#token.text
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renew(): Promise<string> {
    const response = await ask(`/api/agent_deploy/visitor?deployment_id=${this.#deploymentId}`, {
      method: 'POST',
      body: JSON.stringify({ visitor_key: this.#visitorKey() }),
      headers: { 'content-type': 'application/json' },
    })
    const { token, expires_in: seconds } = (await readJson(accept(response))) as {
      token: string
      expires_in: number
    }
    const lifeMs = seconds * 1000
    this.#token = { text: token, renewAt: Date.now() + lifeMs - Math.min(TOKEN_MARGIN_MS, lifeMs / 2) }
    return token
  }

  /** The one thing that makes a visitor the same one tomorrow. */
  #visitorKey(): string {
    const known = this.#kept.get('visitor')
    if (known !== null && VISITOR_KEY.test(known)) return known
    const made = randomText(KEY_BYTES)
    this.#kept.set('visitor', made)
    return made
  }
}

/** Base64url (RFC 4648, 5) of so many random bytes. */
export function randomText(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes))
  return btoa(String.fromCharCode(...random))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

interface RequestOptions {
  body?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

async function ask(
  path: string,
  { signal, ...init }: RequestOptions & { method: string },
): Promise<Response> {
  const control = new AbortController()
  const giveUp = (): void => control.abort()
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  const clock = setTimeout(giveUp, ANSWER_MS)
  try {
    return await fetch(path, { ...init, signal: control.signal, cache: 'no-store', credentials: 'omit' })
  } catch (cause) {
    throw new Unreachable('No answer', { cause })
  } finally {
    clearTimeout(clock)
  }
}

function accept(response: Response): Response {
  if (response.ok) return response
  if (response.status >= 500) throw new Unreachable(`The server answered ${response.status}`)
  throw new Refusal(response)
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (cause) {
    throw new Unreachable('The answer is not JSON', { cause })
  }
}
