import type { EventSourceMessage } from 'eventsource-parser'
import { Backoff } from './backoff.ts'
import { networkError, ParleyError } from './error.ts'
import { readEvents } from './read-events.ts'
import { progressOf, type ReplyEvent } from './reply-event.ts'

/**
 * An event with its id in the stream, from which `resume` continues. Undefined if the server sent the event without an
 * id.
 */
export type Followed<Event> = Event & { eventId?: string | undefined }

/** An event about the connection, yielded while following a reply. */
export type ConnectionEvent =
  /**
   * If `isLost` is true, the connection was lost and the client is reconnecting. If false, the client has
   * reconnected.
   */
  | { type: 'connection'; isLost: boolean }
  /**
   * The last event, in place of `end`: the stream cannot continue. Read the stored message, which may be shorter than
   * the text received so far.
   */
  | { type: 'reload' }

export type FollowedEvent = Followed<ReplyEvent> | ConnectionEvent

/**
 * Maximum number of retries: about 15 seconds. After that, the caller reports the failure. The user still has the text
 * of the message.
 */
const SEND_TRIES_MAX = 5
/** Maximum number of retries: about eight minutes. */
const RESUME_TRIES_MAX = 40

/**
 * Sends the request that starts a reply and returns the response. Retries for about 15 seconds if no response
 * arrives. The request must have an idempotency key. Returns null when the signal aborts. Throws a ParleyError.
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
      // Throw a rate limit error, so that the user sees it. After a lost response, retry instead: the reply may be in
      // progress.
      if (!isPassing(error) || (!isLost && error.status === 429)) throw error
      waitMs = error.retryAfterMs ?? 0
    }
    if (!isLost) yield { type: 'connection', isLost: true }
    if (!(await waited(backoff, signal, waitMs))) return null
  }
}

export interface ReplySource<Event> {
  /** Parses an event. Returns null if the event should be skipped. */
  parse: (message: EventSourceMessage) => Event | null
  /** The response that starts the reply. If null, `resume` opens the first stream. */
  first: Response | null
  /** Opens a stream that starts after the event `lastEventId`, or at the beginning of the reply if undefined. */
  resume: (lastEventId: string | undefined) => Promise<Response>
  /** The id of the last event that the client has already read. */
  lastEventId?: string | undefined
  /** The id of the expected reply. If `resume` opens the stream of another reply, following ends with `reload`. */
  messageId?: string | null | undefined
}

/**
 * Follows a reply to its end, across reconnects. Yields each event once. Returns after `end` or `reload`. Ends
 * without an error when the signal aborts; the server continues the reply.
 *
 * Throws a ParleyError if the server rejects `resume`. Its code is `network` after about eight minutes without a
 * connection.
 */
export async function* followReply<Event extends { type: string }>(
  { parse, first, resume, lastEventId, messageId }: ReplySource<Event>,
  signal: AbortSignal,
): AsyncGenerator<Followed<Event> | ConnectionEvent, void> {
  let position = lastEventId
  const backoff = new Backoff(RESUME_TRIES_MAX)
  let isLost = false
  for (let response = first; ; response = null) {
    let waitMs = 0
    let answer = response
    try {
      answer ??= await resume(position)
      if (isOther(answer, messageId)) return yield { type: 'reload' }
      if (isLost) yield { type: 'connection', isLost: false }
      isLost = false
      for await (const message of readEvents(answer, signal)) {
        if (!isAfter(message, position)) continue
        position = message.id
        const event = parse(message)
        if (event === null) continue
        backoff.reset()
        yield { ...event, eventId: message.id }
        if (event.type === 'end') return
      }
    } catch (error) {
      if (signal.aborted) return
      if (isStale(error)) return yield { type: 'reload' }
      if (!isPassing(error)) throw error
      waitMs = error.retryAfterMs ?? 0
    } finally {
      close(answer)
    }
    if (signal.aborted) return
    if (!isLost) yield { type: 'connection', isLost: true }
    isLost = true
    if (!(await waited(backoff, signal, waitMs))) return
  }
}

/** Closes the connection of a response, also of one that was not read. */
const close = (answer: Response | null): void => {
  answer?.body?.cancel().catch(() => {}) // a stream that is being read closes itself
}

/** Returns whether an event is newer than the last event read. */
const isAfter = ({ id }: EventSourceMessage, position: string | undefined): boolean =>
  progressOf(id) > progressOf(position)

/** Returns whether to retry after an error. Status 429 can also mean a daily limit, which takes too long to reset. */
const isPassing = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.isRetryable && (error.status !== 429 || error.code === 'rate.limited')

/**
 * Returns whether the server rejected `lastEventId`. After a crash, the server may have stored fewer events than the
 * client has read.
 */
const isStale = (error: unknown): boolean => error instanceof ParleyError && error.status === 400

/**
 * Returns whether the stream is not the expected one. With status 204, all events of the reply were already
 * delivered.
 */
const isOther = ({ status, headers }: Response, messageId: string | null | undefined): boolean =>
  status === 204 || (messageId != null && headers.get('x-message-id') !== messageId)

/** Waits before the next try. Returns false if the signal aborts. Throws a `network` error if no tries are left. */
async function waited(backoff: Backoff, signal: AbortSignal, atLeastMs: number): Promise<boolean> {
  if (await backoff.wait(signal, atLeastMs)) return true
  if (!signal.aborted) throw networkError()
  return false
}
