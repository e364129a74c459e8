import type { ChatMessage } from '@parley/client/schemas'
import type { LiveReply } from './live-reply.ts'

export interface MessageRowProps {
  message: ChatMessage
  /** All versions of the message, itself included. */
  beside: readonly ChatMessage[]
  live: LiveReply | null
}
