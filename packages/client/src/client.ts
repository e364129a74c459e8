import { type FollowedEvent, followReply, openReply } from './follow-reply.ts'
import type {
  CallOptions,
  Input,
  OperationName,
  Query,
  Reply,
  StreamEvent,
  StreamName,
} from './operations.ts'
import { readEvents, streamLost } from './read-events.ts'
import { type ErrorValues, replyParser } from './reply-event.ts'
import { addressOf, requestOf, sendSafely } from './request.ts'
import { createTransport, type Transport, type TransportOptions } from './transport.ts'

/** Operations whose reply the server completes even if the connection is lost. A client can resume the stream. */
export type ReplyName = 'POST /api/chat/send_message' | 'POST /api/chat/regenerate'

/** The server has stored the message and started a reply with these ids. */
export interface AcceptedEvent {
  type: 'accepted'
  chatId: string
  messageId: string
}

/** Identifies a reply that is in progress or has ended. */
export interface KnownReply {
  organizationId: string
  chatId: string
  messageId: string
  /** The id of the last event that the client has read. Omit it to read from the beginning. */
  lastEventId?: string
}

/** The last event of a stream that failed. With `code` and `values`, a client can translate `error`. */
export interface FailedEvent {
  error: string
  code?: string
  values?: ErrorValues
}

export type StreamedEvent<O extends StreamName> = Exclude<StreamEvent<O>, { error: string }> | FailedEvent

export interface Client {
  /**
   * Calls an operation and returns its response. If no response arrives and a repeat is safe, sends the request a
   * second time. Throws a ParleyError. If the signal aborts, throws the signal's reason.
   */
  request<O extends OperationName>(operation: O, input: Input<O>): Promise<Reply<O>>
  /**
   * Calls an operation and yields the events of its stream. The stream cannot be resumed after a lost connection.
   * Ends without an error when the signal aborts.
   *
   * Throws a ParleyError. Its code is `stream.lost` if the stream ends before its last event.
   */
  stream<O extends StreamName>(operation: O, input: Input<O>): AsyncGenerator<StreamedEvent<O>, void>
  /**
   * Sends a message or regenerates a reply, then follows the reply to its end across reconnects. Yields each event
   * once. The server stores the message once, even if the request is repeated.
   *
   * Ends without an error when the signal aborts; the server continues the reply. Throws a ParleyError.
   */
  follow<O extends ReplyName>(
    operation: O,
    input: Input<O>,
  ): AsyncGenerator<AcceptedEvent | FollowedEvent, void>
  /** Follows an existing reply, from its beginning or after `lastEventId`. */
  resume(reply: KnownReply, options?: Pick<CallOptions, 'signal'>): AsyncGenerator<FollowedEvent, void>
  /**
   * Sends any request with the client's credentials and returns the raw response, for example to download a file.
   * Throws the same errors as `request`.
   */
  fetch: Transport
}

const never = new AbortController().signal

export function createClient(options: TransportOptions): Client {
  const transport = createTransport(options)
  return {
    fetch: transport,
    async request(operation, input) {
      const answer = await sendSafely(transport, ...requestOf(operation, input))
      return (await answer.json()) as Reply<typeof operation>
    },
    async *stream(operation, input) {
      const query: Record<string, unknown> = { ...input.query, events: 'all' }
      const [path, init] = requestOf(operation, { ...input, query })
      const headers = { ...init.headers, accept: 'text/event-stream' }
      const answer = await sendSafely(transport, path, { ...init, headers })
      let isWhole = false
      let failure = {}
      for await (const { event: name, data } of readEvents(answer, input.signal)) {
        const event = JSON.parse(data) as StreamedEvent<typeof operation>
        if (name === 'failure') {
          failure = event
          continue
        }
        isWhole = isLast(event)
        yield 'error' in event ? { ...event, ...failure } : event
      }
      if (!isWhole && !input.signal?.aborted) throw streamLost()
    },
    async *follow(operation, input) {
      const query: Record<string, unknown> = { ...input.query, events: 'all' }
      const signal = input.signal ?? never
      const request = requestOf(operation, { ...input, query })
      const first = yield* openReply(() => transport(...request), signal)
      if (first === null) return
      const chatId = first.headers.get('x-chat-id') ?? ''
      const messageId = first.headers.get('x-message-id') ?? ''
      yield { type: 'accepted', chatId, messageId }
      const organizationId = String(query['org_id'] ?? '')
      yield* followOver(transport, { organizationId, chatId, messageId }, first, signal)
    },
    resume: (reply, { signal } = {}) => followOver(transport, reply, null, signal ?? never),
  }
}

function followOver(
  transport: Transport,
  { organizationId, chatId, messageId, lastEventId: position }: KnownReply,
  first: Response | null,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void> {
  const query: Query<'GET /api/chat/stream'> & { events: string } = {
    org_id: organizationId,
    chat_id: chatId,
    message_id: messageId,
    events: 'all',
  }
  const resume = (lastEventId: string | undefined): Promise<Response> =>
    transport(addressOf('/api/chat/stream', query), {
      ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
      signal,
    })
  return followReply({ parse: replyParser(), first, resume, lastEventId: position }, signal)
}

/**
 * Returns whether this is the last event of a stream. Covers the streams of knowledge base answers, conversations,
 * prompts and the playground.
 */
function isLast(event: object): boolean {
  if ('error' in event || 'citations' in event || 'finish_reason' in event) return true
  return ('content' in event && event.content === 'DONE') || ('message' in event && event.message === 'DONE')
}
