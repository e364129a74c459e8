import type { ChatMessage } from '@parley/client/schemas'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { useActions } from './conversation-context.ts'

/** The way to what stands in a message's place on other branches. */
export function BranchArrows({ message, beside }: { message: ChatMessage; beside: readonly ChatMessage[] }) {
  const { goTo } = useActions()
  const place = beside.findIndex(({ id }) => id === message.id)
  if (beside.length < 2 || place < 0) return null
  const before = beside[place - 1]
  const after = beside[place + 1]
  return (
    <div role="group" aria-label="Versions" className="flex items-center">
      <IconButton
        small
        icon={ChevronLeft}
        label="Version before"
        disabled={!before}
        onClick={() => before && goTo(before)}
      />
      <span className="text-xs text-muted tabular-nums">
        {place + 1} of {beside.length}
      </span>
      <IconButton
        small
        icon={ChevronRight}
        label="Version after"
        disabled={!after}
        onClick={() => after && goTo(after)}
      />
    </div>
  )
}
