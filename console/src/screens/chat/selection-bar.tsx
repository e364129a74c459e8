import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useNotify } from '../../ui/toast.tsx'

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
  const confirm = useConfirm()
  const notify = useNotify()
  const navigate = useNavigate()
  const remove = useChange('POST /api/chat/bulk_delete_sessions', {
    outdates: ['GET /api/chat/list', 'GET /api/chat/list_folders'],
    onDone: ({ deleted }) => {
      notify(t('selection.deleted', { count: deleted }))
      if (openId !== null && selected.has(openId)) void navigate({ to: '/chats' })
      onDone()
    },
  })
  const count = selected.size
  const ask = async () => {
    const isSure = await confirm({
      title: t('selection.title', { count }),
      consequence: t('selection.consequence', { count }),
      action: t('selection.deleteAction', { count }),
    })
    if (isSure) remove.mutate({ body: { chat_ids: [...selected] } }, { onError: notify })
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
        <Button
          size="small"
          kind="danger"
          icon={Trash2}
          disabled={count === 0}
          busy={remove.isPending}
          onClick={() => void ask()}
        >
          {t('selection.delete')}
        </Button>
      </span>
    </div>
  )
}
