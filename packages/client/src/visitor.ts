import { type ConnectionEvent, followReply } from './follow-reply.ts'
import { randomKey } from './random-key.ts'
import { parseTextEvent, type TextEvent } from './reply-event.ts'
import type { DeploymentSession, DeploymentSessionMessage, VisitorPass } from './schemas.ts'
import { singleFlight } from './single-flight.ts'
import { createTransport, type TokenSource } from './transport.ts'

export { Backoff } from './backoff.ts'
export { ParleyError } from './error.ts'
export { Throttle } from './text-buffer.ts'
export { randomKey }

export interface VisitorOptions {
  /** Can be left out in a page of the server itself. */
  baseUrl?: string
  deploymentId: string
  /** The secret of this visitor, of `newVisitorKey`. Keep it, and the visitor is the same one tomorrow. */
  visitorKey: string
}

export interface VisitorMessage {
  content: string
  /** Null begins a conversation. */
  sessionId: string | null
  /** A repeat with the same key is answered by the reply that the first one began. */
  idempotencyKey: string
}

export type VisitorEvent = TextEvent | ConnectionEvent

/** A message that was accepted, and its reply: `events` follows it over as many connections as it takes. */
export interface VisitorReply {
  sessionId: string
  messageId: string
  events: AsyncGenerator<VisitorEvent, void>
}

/** How long the server may take until it begins to answer. */
const ANSWER_TIMEOUT_MS = 30_000
/** A token is replaced when less than this is left of its life. */
const TOKEN_MARGIN_MS = 30_000
const KEY_BYTES = 32

/** Talks to one deployment as one visitor. All methods throw a ParleyError. */
export class VisitorClient {
  readonly #auth
  readonly #send

  constructor({ baseUrl, deploymentId, visitorKey }: VisitorOptions) {
    const options = { baseUrl, fetch: fetchAlone, answerTimeoutMs: ANSWER_TIMEOUT_MS }
    const ask = createTransport(options)
    this.#auth = visitorTokens(async () => {
      const answer = await ask(
        `/api/agent_deploy/visitor?deployment_id=${deploymentId}`,
        jsonPost({ visitor_key: visitorKey }),
      )
      return (await answer.json()) as VisitorPass
    })
    this.#send = createTransport({ ...options, auth: this.#auth })
  }

  /** Finds out whether this deployment talks to visitors. */
  async enter(): Promise<void> {
    await this.#auth.token()
  }

  /** Sends a message once. After an error without an answer, send it again with the same key. */
  async send(
    { content, sessionId, idempotencyKey }: VisitorMessage,
    signal: AbortSignal,
  ): Promise<VisitorReply> {
    const body = { content, ...(sessionId !== null && { session_id: sessionId }) }
    const post = jsonPost(body, { 'idempotency-key': idempotencyKey })
    const first = await this.#send('/api/agent_deploy/chat', { ...post, signal })
    const session = first.headers.get('x-session-id') ?? sessionId ?? ''
    const messageId = first.headers.get('x-message-id') ?? ''
    return { sessionId: session, messageId, events: this.#follow(session, messageId, first, signal) }
  }

  /** Follows the newest reply of a session from its beginning. Ends with `reload` if that is another message. */
  resume(sessionId: string, messageId: string, signal: AbortSignal): AsyncGenerator<VisitorEvent, void> {
    return this.#follow(sessionId, messageId, null, signal)
  }

  async readSession(sessionId: string): Promise<DeploymentSessionMessage[]> {
    const answer = await this.#send(`/api/agent_deploy/session?session_id=${sessionId}`)
    return ((await answer.json()) as DeploymentSession).messages
  }

  /** Stops the reply that is being written. */
  async stop(sessionId: string): Promise<void> {
    await this.#send(`/api/agent_deploy/stop?session_id=${sessionId}`, { method: 'POST' })
  }

  #follow(
    sessionId: string,
    messageId: string,
    first: Response | null,
    signal: AbortSignal,
  ): AsyncGenerator<VisitorEvent, void> {
    const resume = (lastEventId: string | undefined): Promise<Response> =>
      this.#send(`/api/agent_deploy/stream?session_id=${sessionId}`, {
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
        signal,
      })
    return followReply({ parse: parseTextEvent, first, resume, messageId }, signal)
  }
}

/** Returns a new secret for a visitor. */
export const newVisitorKey = (): string => randomKey(KEY_BYTES)

/** Neither cookies nor caches: a visitor is known by the token alone. */
const fetchAlone = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, { ...init, cache: 'no-store', credentials: 'omit' })

const jsonPost = (body: object, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

function visitorTokens(ask: () => Promise<VisitorPass>): TokenSource {
  let current: { text: string; renewAt: number } | undefined
  const refresh = singleFlight(async () => {
    const { token, expires_in } = await ask()
    const lifeMs = expires_in * 1000
    current = { text: token, renewAt: Date.now() + lifeMs - Math.min(TOKEN_MARGIN_MS, lifeMs / 2) }
    return token
  })
  const token = async (): Promise<string> =>
    current && Date.now() < current.renewAt ? current.text : refresh()
  return {
    token,
    renew(refused) {
      if (current?.text === refused) current = undefined
      return token()
    },
  }
}
