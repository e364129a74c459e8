import type { EventSourceMessage } from 'eventsource-parser'
import { Backoff } from './backoff.ts'
import { readEvents, StreamLost } from './read-events.ts'
import { parseReplyEvent, progressOf, type ReplyEvent } from './reply-event.ts'

/** `fetch` with the credentials added. It answers a refusal as a response, and throws a TypeError when nothing got through. */
export type Send = (path: string, init: RequestInit) => Promise<Response>

/** What has a reply written. */
export interface ReplyRequest {
  operation: 'send_message' | 'regenerate'
  query: Record<string, string>
  body: object
  /** The same one when it is sent again after ReplyUnreachable: then it is done once (docs/idempotency.md). */
  idempotencyKey: string
}

/** A reply that is being written, or was. */
export interface KnownReply {
  organizationId: string
  chatId: string
  messageId: string
  /** What was delivered of it before; absent: nothing. */
  lastEventId?: string
}

/** What comes while a reply is followed: what it says itself, and how it is with the connection. */
export type FollowedEvent =
  | ReplyEvent
  /** The message is stored, and its reply is known by these ids. Before all others, where a request was sent. */
  | { kind: 'accepted'; chatId: string; messageId: string }
  /** The connection is gone, and is tried again; or it is there again. */
  | { kind: 'connection'; isLost: boolean }
  /** The last one, instead of `end`: what is stored tells the rest, and may be less than what was shown (a server was killed). */
  | { kind: 'read again' }

/** The server said no, for good. `detail` is a sentence for people. */
export class ReplyRefused extends Error {
  override name = 'ReplyRefused'
  readonly status: number
  readonly code: string | null
  /** As long should be waited; null: the server does not say. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, code: string | null, detail: string, retryAfterSeconds: number | null) {
    super(detail)
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** It was tried again often enough. A reply that was accepted goes on nevertheless. */
export class ReplyUnreachable extends Error {
  override name = 'ReplyUnreachable'
}

/** About 15 seconds: after that it is better to say so, with the message still there to be sent again. */
const SEND_TRIES_MAX = 5
/** About eight minutes without anything getting through. */
const RESUME_TRIES_MAX = 40

/**
 * Sends a message, or has one answered anew, and follows the reply to its end, over as many connections as that takes
 * (contract, 5). No event comes twice, and none is left out. An answer that was lost is asked for again by the same key.
 * Ends after `end` or `read again`, and silently when the signal aborts; the reply goes on then.
 *
 * Throws ReplyRefused, ReplyUnreachable, and what `send` throws besides TypeErrors.
 */
export async function* sendAndFollow(
  send: Send,
  request: ReplyRequest,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void> {
  const query = new URLSearchParams({ ...request.query, events: 'all' })
  const post = (): Promise<Response> =>
    send(`/api/chat/${request.operation}?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': request.idempotencyKey },
      body: JSON.stringify(request.body),
      signal,
    })
  let first: Response | null = null
  const backoff = new Backoff(SEND_TRIES_MAX)
  for (let isLost = false; first === null; ) {
    // What was never sent before is not waiting anywhere: who is told to wait can decide.
    const answer = await ask(post, signal, isLost ? PASSING_CODES : PASSING_OF_FIRST)
    if (answer === 'aborted') return
    if (answer instanceof Response) first = answer
    else if (!isLost) yield { kind: 'connection', isLost: true }
    if (first === null) {
      isLost = true
      if (!(await backoff.wait(signal, waitOf(answer)))) return endOfTries(signal)
    } else if (isLost) yield { kind: 'connection', isLost: false }
  }
  const chatId = first.headers.get('x-chat-id') ?? ''
  const messageId = first.headers.get('x-message-id') ?? ''
  yield { kind: 'accepted', chatId, messageId }
  const reply = { organizationId: request.query['org_id'] ?? '', chatId, messageId }
  yield* followOver(send, reply, first, signal)
}

/**
 * Follows a reply that is under way, as after a reload of the page: from its beginning, or from after `lastEventId`.
 * Ends and throws as `sendAndFollow` does.
 */
export const resumeReply = (
  send: Send,
  reply: KnownReply,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void> => followOver(send, reply, null, signal)

async function* followOver(
  send: Send,
  { organizationId, chatId, messageId, lastEventId: begin }: KnownReply,
  first: Response | null,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void> {
  const query = new URLSearchParams({
    org_id: organizationId,
    chat_id: chatId,
    message_id: messageId,
    events: 'all',
  })
  const place = new Place(begin)
  const resume = (): Promise<Response> =>
    send(`/api/chat/stream?${query}`, {
      ...(place.lastEventId !== undefined && { headers: { 'last-event-id': place.lastEventId } }),
      signal,
    })
  const backoff = new Backoff(RESUME_TRIES_MAX)
  let isLost = false
  for (let response = first; ; response = null) {
    const answer: Answer = response ?? (await ask(resume, signal).catch(staleOr))
    if (answer === 'aborted') return
    if (answer === 'stale' || (answer instanceof Response && answer.status === 204))
      return yield { kind: 'read again' }
    if (answer instanceof Response) {
      if (isLost) yield { kind: 'connection', isLost: false }
      isLost = false
      try {
        for await (const message of readEvents(answer, signal)) {
          const event = place.take(message)
          if (event === null) continue
          backoff.reset()
          yield event
          if (event.kind === 'end') return
        }
      } catch (error) {
        if (!(error instanceof StreamLost)) throw error
      }
    }
    if (signal.aborted) return
    if (!isLost) yield { kind: 'connection', isLost: true }
    isLost = true
    if (!(await backoff.wait(signal, waitOf(answer)))) return endOfTries(signal)
  }
}

/** Where in a reply its reader is. */
class Place {
  lastEventId: string | undefined
  #progress: number

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId
    this.#progress = progressOf(lastEventId) ?? -1
  }

  /** What a message says that was not said before; else null. */
  take(message: EventSourceMessage): ReplyEvent | null {
    const progress = progressOf(message.id)
    if (progress === null || progress <= this.#progress) return null
    this.#progress = progress
    this.lastEventId = message.id
    return parseReplyEvent(message)
  }
}

/** A stream; that there is none now, and perhaps later; that what was delivered is not in this reply; that nobody asks any more. */
type Answer = Response | { isPassing: true; retryAfterSeconds: number | null } | 'stale' | 'aborted'

/** Throws ReplyRefused for what another try would not change. */
async function ask(
  request: () => Promise<Response>,
  signal: AbortSignal,
  passingCodes = PASSING_CODES,
): Promise<Answer> {
  try {
    const response = await request()
    if (response.ok) return response
    const refused = await refusalOf(response)
    if (!isPassing(refused, passingCodes)) throw refused
    return { isPassing: true, retryAfterSeconds: refused.retryAfterSeconds }
  } catch (error) {
    if (signal.aborted) return 'aborted'
    if (error instanceof TypeError) return { isPassing: true, retryAfterSeconds: null }
    throw error
  }
}

/** Another process has the reply, or its twin is on its way; or somebody between us and the server says that it is away. */
const PASSING_OF_FIRST = ['chat.elsewhere', 'request.in_progress']
const PASSING_CODES = [...PASSING_OF_FIRST, 'rate.limited']
const PASSING_STATUSES = [502, 503, 504]

const isPassing = ({ status, code }: ReplyRefused, passingCodes: readonly string[]): boolean =>
  PASSING_STATUSES.includes(status) || (code !== null && passingCodes.includes(code))

/** A reply that was stored only up to a place before that one. */
const staleOr = (error: unknown): 'stale' => {
  if (error instanceof ReplyRefused && error.status === 400) return 'stale'
  throw error
}

async function refusalOf(response: Response): Promise<ReplyRefused> {
  const body: unknown = await response.json().catch(() => null)
  const { code, detail } = (body ?? {}) as { code?: unknown; detail?: unknown }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ReplyRefused(
    response.status,
    typeof code === 'string' ? code : null,
    typeof detail === 'string' ? detail : `The server answered ${response.status}`,
    Number.isFinite(seconds) ? seconds : null,
  )
}

const waitOf = (answer: Answer): number =>
  typeof answer === 'object' && 'isPassing' in answer ? (answer.retryAfterSeconds ?? 0) * 1_000 : 0

function endOfTries(signal: AbortSignal): void {
  if (!signal.aborted) throw new ReplyUnreachable('The server was not reached')
}
