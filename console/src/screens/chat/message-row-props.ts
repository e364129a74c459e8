import type { ChatMessage } from '@parley/client/schemas'
import type { LiveReply } from './live-reply.ts'

export interface MessageRowProps {
  message: ChatMessage
  /** What stands in its place on other branches, and itself. */
  beside: readonly ChatMessage[]
  live: LiveReply | null
}
