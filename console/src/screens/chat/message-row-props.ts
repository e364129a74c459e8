import type { ChatMessage } from '@parley/client/schemas'
import type { LiveReply } from './live-reply.ts'

export interface MessageRowProps {
  message: ChatMessage
  /** All versions of the message, including the message itself. */
  beside: readonly ChatMessage[]
  live: LiveReply | null
  /** Whether no message follows on the branch. */
  isLast: boolean
}
