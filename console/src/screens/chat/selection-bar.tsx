import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { useDeleteChats } from './delete-chats.ts'

const t = translator('chat')

export function SelectionBar({
  selected,
  openId,
  onDone,
}: {
  selected: ReadonlySet<string>
  openId: string | null
  onDone: () => void
}) {
  const navigate = useNavigate()
  const deleteChats = useDeleteChats()
  const count = selected.size
  const remove = () => {
    deleteChats([...selected])
    if (openId !== null && selected.has(openId)) void navigate({ to: '/chats' })
    onDone()
  }
  return (
    <div className="flex items-center justify-between gap-2 border-y border-line px-3 py-1.5 text-sm">
      <span role="status" className="text-muted">
        {count === 0 ? t('selection.none') : t('selection.selected', { count })}
      </span>
      <span className="flex gap-1.5">
        <Button size="small" kind="ghost" onClick={onDone}>
          {t('selection.cancel')}
        </Button>
        <Button size="small" kind="danger" icon={Trash2} disabled={count === 0} onClick={remove}>
          {t('selection.delete')}
        </Button>
      </span>
    </div>
  )
}
