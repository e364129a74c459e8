import type { EventSourceMessage } from 'eventsource-parser'
import { Backoff } from './backoff.ts'
import { networkError, ParleyError } from './error.ts'
import { readEvents } from './read-events.ts'
import { progressOf, type ReplyEvent } from './reply-event.ts'

/** A change of the connection while a reply is followed. */
export type ConnectionEvent =
  /** `isLost: true`: the connection is lost and the client reconnects. `isLost: false`: it has reconnected. */
  | { type: 'connection'; isLost: boolean }
  /** Replaces `end` as the last event. Read the stored message, which may be shorter than the text received so far. */
  | { type: 'reload' }

export type FollowedEvent = ReplyEvent | ConnectionEvent

/** About 15 seconds of retries. Then the caller can report the failure; the user still has the message. */
const SEND_TRIES_MAX = 5
/** About eight minutes of retries. */
const RESUME_TRIES_MAX = 40

/**
 * Sends the request that starts a reply, and retries for about 15 seconds until an answer arrives. The request needs
 * an idempotency key. Returns null when the signal aborts.
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
      // Report a rate limit to the user. After a lost answer, retry instead: the reply may already be in progress.
      if (!isPassing(error) || (!isLost && error.status === 429)) throw error
      waitMs = error.retryAfterMs ?? 0
    }
    if (!isLost) yield { type: 'connection', isLost: true }
    if (!(await waited(backoff, signal, waitMs))) return null
  }
}

export interface ReplySource<Event> {
  /** Parses an event of the server. Returns null for events to skip. */
  parse: (message: EventSourceMessage) => Event | null
  /** The response that starts the reply. If null, `resume` opens the stream. */
  first: Response | null
  /** Opens the stream after the given event, or from its beginning. */
  resume: (lastEventId: string | undefined) => Promise<Response>
  /** The id of the last event that the reader already has. */
  lastEventId?: string | undefined
  /** Ends with `reload` if `resume` opens the stream of a different message. */
  messageId?: string | null | undefined
}

/**
 * Follows a reply to its end, across reconnects. Yields each event once. Returns after `end` or `reload`. Ends without
 * an error when the signal aborts; the server continues the reply.
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

/** Returns whether a message is new to the reader. */
const isAfter = ({ id }: EventSourceMessage, position: string | undefined): boolean =>
  progressOf(id) > progressOf(position)

/** Daily limits also answer with 429, but don't reset soon enough to wait for. */
const isPassing = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.isRetryable && (error.status !== 429 || error.code === 'rate.limited')

/** The server has stored less of the reply than the reader has, because its process crashed. */
const isStale = (error: unknown): boolean => error instanceof ParleyError && error.status === 400

/** Status 204: the reader already has the complete reply. */
const isOther = ({ status, headers }: Response, messageId: string | null | undefined): boolean =>
  status === 204 || (messageId != null && headers.get('x-message-id') !== messageId)

/** Waits before the next try. Returns false if the signal aborts. Throws `network` when no tries are left. */
async function waited(backoff: Backoff, signal: AbortSignal, atLeastMs: number): Promise<boolean> {
  if (await backoff.wait(signal, atLeastMs)) return true
  if (!signal.aborted) throw networkError()
  return false
}
