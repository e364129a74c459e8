import { memo } from 'react'
import type { MessageRowProps } from './message-row-props.ts'
import { Reply } from './reply.tsx'
import { UserMessage } from './user-message.tsx'

/** Renders a message. Memoized, so that a message renders again only when its props change. */
export const MessageRow = memo(
  (props: MessageRowProps) =>
    props.message.role === 'user' ? <UserMessage {...props} /> : <Reply {...props} />,
  (before, now) =>
    before.message === now.message &&
    before.live === now.live &&
    before.isLast === now.isLast &&
    before.beside.length === now.beside.length,
)
