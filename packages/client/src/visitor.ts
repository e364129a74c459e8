import { type ConnectionEvent, followReply } from './follow-reply.ts'
import { randomKey } from './random-key.ts'
import { type TextEvent, textParser } from './reply-event.ts'
import type { DeploymentSession, DeploymentSessionMessage, VisitorPass } from './schemas.ts'
import { singleFlight } from './single-flight.ts'
import { createTransport, type TokenSource } from './transport.ts'

export { Backoff } from './backoff.ts'
export { ParleyError } from './error.ts'
export { Throttle } from './text-buffer.ts'
export { randomKey }

export interface VisitorOptions {
  /** The server's URL. Pages of the server itself can omit it. */
  baseUrl?: string
  deploymentId: string
  /** The visitor's secret, from `newVisitorKey`. Store it to recognize the visitor on the next visit. */
  visitorKey: string
}

export interface VisitorMessage {
  content: string
  /** The session to continue. Null starts a new one. */
  sessionId: string | null
  /** Identifies the message. Repeating a request with the same key returns the reply to the first request. */
  idempotencyKey: string
}

export type VisitorEvent = TextEvent | ConnectionEvent

/** A reply to an accepted message. `events` yields the events of the reply across reconnects. */
export interface VisitorReply {
  sessionId: string
  messageId: string
  events: AsyncGenerator<VisitorEvent, void>
}

/** Maximum time until a response begins. */
const ANSWER_TIMEOUT_MS = 30_000
/** A visitor token is refreshed if it expires in less than this time. */
const TOKEN_MARGIN_MS = 30_000
const KEY_BYTES = 32

/** A visitor's client for one deployment. All methods throw a ParleyError. */
export class VisitorClient {
  readonly #auth
  readonly #send

  constructor({ baseUrl, deploymentId, visitorKey }: VisitorOptions) {
    const options = { baseUrl, fetch: fetchAlone, answerTimeoutMs: ANSWER_TIMEOUT_MS }
    const ask = createTransport(options)
    this.#auth = visitorTokens(async () => {
      const answer = await ask(
        `/api/agent_deploy/create_visitor?deployment_id=${deploymentId}`,
        jsonPost({ visitor_key: visitorKey }),
      )
      return (await answer.json()) as VisitorPass
    })
    this.#send = createTransport({ ...options, auth: this.#auth })
  }

  /** Obtains a visitor token. Throws if the deployment doesn't accept visitors. */
  async enter(): Promise<void> {
    await this.#auth.token()
  }

  /**
   * Sends a message and returns the reply. If no response arrives, call this method again with the same idempotency
   * key. The server then stores the message only once.
   */
  async send(
    { content, sessionId, idempotencyKey }: VisitorMessage,
    signal: AbortSignal,
  ): Promise<VisitorReply> {
    const body = { content, ...(sessionId !== null && { session_id: sessionId }) }
    const post = jsonPost(body, { 'idempotency-key': idempotencyKey })
    const first = await this.#send('/api/agent_deploy/chat?events=all', { ...post, signal })
    const session = first.headers.get('x-session-id') ?? sessionId ?? ''
    const messageId = first.headers.get('x-message-id') ?? ''
    return { sessionId: session, messageId, events: this.#follow(session, messageId, first, signal) }
  }

  /**
   * Follows a session's newest reply from its beginning. Ends with `reload` if that reply's id is not `messageId`.
   */
  resume(sessionId: string, messageId: string, signal: AbortSignal): AsyncGenerator<VisitorEvent, void> {
    return this.#follow(sessionId, messageId, null, signal)
  }

  async readSession(sessionId: string): Promise<DeploymentSessionMessage[]> {
    const answer = await this.#send(`/api/agent_deploy/get_session?session_id=${sessionId}`)
    return ((await answer.json()) as DeploymentSession).messages
  }

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
      this.#send(`/api/agent_deploy/stream?events=all&session_id=${sessionId}`, {
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
        signal,
      })
    return followReply({ parse: textParser(), first, resume, messageId }, signal)
  }
}

export const newVisitorKey = (): string => randomKey(KEY_BYTES)

/** Fetches without cookies and caches. Only the token identifies the visitor. */
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
