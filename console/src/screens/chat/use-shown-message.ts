import type { ChatMessage } from '@parley/client/schemas'
import { useSearch } from '@tanstack/react-router'
import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { Branch } from './branch.ts'
import { useActions, useConversationState } from './conversation-context.ts'

/** Scrolls once to the message that the URL names. If necessary, switches branches or loads older messages first. */
export function useShownMessage(
  list: Virtualizer<HTMLDivElement, Element>,
  { messages }: Branch,
  siblings: Map<string | null, ChatMessage[]>,
  { hasOlder, load }: { hasOlder: boolean; load: () => void },
): void {
  const { message: messageId } = useSearch({ from: '/app/chats' })
  const { goTo } = useActions()
  const { isBusy } = useConversationState()
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (messageId === undefined || messageId === shown.current) return
    const index = messages.findIndex(({ id }) => id === messageId)
    if (index >= 0) {
      shown.current = messageId
      list.scrollToIndex(index, { align: 'start' })
      return
    }
    const elsewhere = [...siblings.values()].flat().find(({ id }) => id === messageId)
    if (elsewhere) {
      if (!isBusy) goTo(elsewhere)
    } else if (hasOlder) load()
  }, [messageId, isBusy, messages, siblings, hasOlder, load, goTo, list])
}
