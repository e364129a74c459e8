import type { ChatMessage } from '@parley/client/schemas'
import { useSearch } from '@tanstack/react-router'
import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { Branch } from './branch.ts'
import { useActions, useConversationState } from './conversation-context.ts'

/** Scrolls once to the message that the URL names. Switches branches or loads older messages to find it. */
export function useShownMessage(
  list: Virtualizer<HTMLDivElement, Element>,
  { messages }: Branch,
  siblings: Map<string | null, ChatMessage[]>,
  { hasOlder, load }: { hasOlder: boolean; load: () => void },
): void {
  const { message: wanted } = useSearch({ from: '/app/chats' })
  const { goTo } = useActions()
  const { isBusy } = useConversationState()
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (wanted === undefined || wanted === shown.current) return
    const index = messages.findIndex(({ id }) => id === wanted)
    if (index >= 0) {
      shown.current = wanted
      list.scrollToIndex(index, { align: 'start' })
      return
    }
    const elsewhere = [...siblings.values()].flat().find(({ id }) => id === wanted)
    if (elsewhere) {
      if (!isBusy) goTo(elsewhere)
    } else if (hasOlder) load()
  }, [wanted, isBusy, messages, siblings, hasOlder, load, goTo, list])
}
