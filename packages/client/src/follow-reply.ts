import type { EventSourceMessage } from 'eventsource-parser'
import { Backoff } from './backoff.ts'
import { networkError, ParleyError } from './error.ts'
import { readEvents } from './read-events.ts'
import { progressOf, type ReplyEvent } from './reply-event.ts'

/** What happens to the connection while a reply is followed. */
export type ConnectionEvent =
  /** The connection is lost and is tried again, or is back. */
  | { type: 'connection'; isLost: boolean }
  /** The last event, instead of `end`: read the stored message. It can be shorter than what was shown. */
  | { type: 'reload' }

export type FollowedEvent = ReplyEvent | ConnectionEvent

/** About 15 seconds. Then the caller can tell its user, who still has the message. */
const SEND_TRIES_MAX = 5
/** About eight minutes in which nothing gets through. */
const RESUME_TRIES_MAX = 40

/**
 * Opens a reply: sends its request until an answer comes, about 15 seconds long. The request needs an idempotency key.
 * Returns null when the signal aborts.
 */
export async function* openReply(
  post: () => Promise<Response>,
  signal: AbortSignal,
): AsyncGenerator<ConnectionEvent, Response | null> {
  const backoff = new Backoff(SEND_TRIES_MAX)
  for (let isLost = false; ; isLost = true) {
    let waitMs = 0
    try {
      const answer = await post()
      if (isLost) yield { type: 'connection', isLost: false }
      return answer
    } catch (error) {
      if (signal.aborted) return null
      // A rate limit is for the user to know. After a lost answer, the reply may be under way.
      if (!isPassing(error) || (!isLost && error.status === 429)) throw error
      waitMs = error.retryAfterMs ?? 0
    }
    if (!isLost) yield { type: 'connection', isLost: true }
    if (!(await waited(backoff, signal, waitMs))) return null
  }
}

export interface ReplySource<Event> {
  /** Parses what the server sends. Returns null for events that say nothing. */
  parse: (message: EventSourceMessage) => Event | null
  /** The answer that the reply begins with. Null: `resume` opens it. */
  first: Response | null
  /** Opens the stream after an event, or from its beginning. */
  resume: (lastEventId: string | undefined) => Promise<Response>
  /** Where the reader is already. */
  lastEventId?: string | undefined
  /** Ends with `reload` if `resume` opens the stream of another message. */
  messageId?: string | null | undefined
}

/**
 * Follows a reply to its end, over as many connections as it takes. Yields each event once. Ends after `end` or
 * `reload`; ends silently when the signal aborts, and the server goes on writing the reply.
 *
 * Throws a ParleyError if the server refuses to resume, and `network` after about eight minutes without a connection.
 */
export async function* followReply<Event extends { type: string }>(
  { parse, first, resume, lastEventId, messageId }: ReplySource<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event | ConnectionEvent, void> {
  let position = lastEventId
  const backoff = new Backoff(RESUME_TRIES_MAX)
  let isLost = false
  for (let response = first; ; response = null) {
    let waitMs = 0
    try {
      const answer = response ?? (await resume(position))
      if (isOther(answer, messageId)) return yield { type: 'reload' }
      if (isLost) yield { type: 'connection', isLost: false }
      isLost = false
      for await (const message of readEvents(answer, signal)) {
        if (!isAfter(message, position)) continue
        position = message.id
        const event = parse(message)
        if (event === null) continue
        backoff.reset()
        yield event
        if (event.type === 'end') return
      }
    } catch (error) {
      if (signal.aborted) return
      if (isStale(error)) return yield { type: 'reload' }
      if (!isPassing(error)) throw error
      waitMs = error.retryAfterMs ?? 0
    }
    if (signal.aborted) return
    if (!isLost) yield { type: 'connection', isLost: true }
    isLost = true
    if (!(await waited(backoff, signal, waitMs))) return
  }
}

/** Whether a message brings the reply further than the last one did. */
const isAfter = ({ id }: EventSourceMessage, position: string | undefined): boolean =>
  progressOf(id) > progressOf(position)

/** Limits per day also answer 429, and do not pass while somebody waits. */
const isPassing = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.isRetryable && (error.status !== 429 || error.code === 'rate.limited')

/** The server stored less of the reply than the reader has: its process died. */
const isStale = (error: unknown): boolean => error instanceof ParleyError && error.status === 400

/** 204: the reader has all of the reply. */
const isOther = ({ status, headers }: Response, messageId: string | null | undefined): boolean =>
  status === 204 || (messageId != null && headers.get('x-message-id') !== messageId)

/** Waits for the next try. Returns false if the signal aborts. Throws `network` after too many tries. */
async function waited(backoff: Backoff, signal: AbortSignal, atLeastMs: number): Promise<boolean> {
  if (await backoff.wait(signal, atLeastMs)) return true
  if (!signal.aborted) throw networkError()
  return false
}
