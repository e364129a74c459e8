export {
  type AcceptedEvent,
  type Client,
  createClient,
  type FailedEvent,
  type KnownReply,
  type ReplyName,
  type StreamedEvent,
} from './client.ts'
export { type FieldError, ParleyError } from './error.ts'
export type { ConnectionEvent, FollowedEvent } from './follow-reply.ts'
export { type LiveEvent, listenForEvents } from './live-events.ts'
export type {
  Body,
  CallOptions,
  Input,
  OperationName,
  Query,
  Reply,
  StreamEvent,
  StreamName,
} from './operations.ts'
export { randomKey } from './random-key.ts'
export type { ErrorValues, ReplyEvent, ReplyMedia } from './reply-event.ts'
export { addressOf } from './request.ts'
export { TextBuffer, Throttle } from './text-buffer.ts'
export { createTransport, type TokenSource, type Transport, type TransportOptions } from './transport.ts'
export { waitForRetry } from './wait-for-retry.ts'
