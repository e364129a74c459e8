import type { ChatMessage } from '@parley/client/schemas'
import { memo } from 'react'
import type { LiveReply } from './live-reply.ts'
import { Reply } from './reply.tsx'
import { UserMessage } from './user-message.tsx'

export interface MessageRowProps {
  message: ChatMessage
  /** What stands in its place on other branches, and itself. */
  beside: readonly ChatMessage[]
  live: LiveReply | null
}

/** A message, drawn again only when it has changed. */
export const MessageRow = memo(
  (props: MessageRowProps) =>
    props.message.role === 'user' ? <UserMessage {...props} /> : <Reply {...props} />,
  (before, now) =>
    before.message === now.message && before.live === now.live && before.beside.length === now.beside.length,
)
