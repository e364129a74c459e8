import type { ChatMessage } from '@parley/client/schemas'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { useActions } from './conversation-context.ts'

const t = translator('chat')

/** Buttons that switch to the previous or next version of a message. Each version is on its own branch. */
export function BranchArrows({ message, beside }: { message: ChatMessage; beside: readonly ChatMessage[] }) {
  const { goTo } = useActions()
  const place = beside.findIndex(({ id }) => id === message.id)
  if (beside.length < 2 || place < 0) return null
  const before = beside[place - 1]
  const after = beside[place + 1]
  return (
    <div role="group" aria-label={t('versions.label')} className="flex items-center">
      <IconButton
        small
        icon={ChevronLeft}
        label={t('versions.previous')}
        disabled={!before}
        onClick={() => before && goTo(before)}
      />
      <span className="text-xs text-muted tabular-nums">
        {t('versions.position', { position: place + 1, count: beside.length })}
      </span>
      <IconButton
        small
        icon={ChevronRight}
        label={t('versions.next')}
        disabled={!after}
        onClick={() => after && goTo(after)}
      />
    </div>
  )
}
