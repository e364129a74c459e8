import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useNotify } from '../../ui/toast.tsx'

/** What can be done with several chats. */
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
    outdates: ['GET /api/chat/list', 'GET /api/chat/folders'],
    onDone: ({ deleted }) => {
      notify(deleted === 1 ? '1 chat deleted' : `${deleted} chats deleted`)
      if (openId !== null && selected.has(openId)) void navigate({ to: '/chats' })
      onDone()
    },
  })
  const count = selected.size === 1 ? '1 chat' : `${selected.size} chats`
  const ask = async () => {
    const isSure = await confirm({
      title: `Delete ${count}?`,
      consequence: 'They and their messages will be gone for good.',
      action: 'Delete',
    })
    if (isSure) remove.mutate({ body: { chat_ids: [...selected] } }, { onError: notify })
  }
  return (
    <div className="flex items-center justify-between gap-2 border-y border-line px-3 py-1.5 text-sm">
      <span role="status" className="text-muted">
        {selected.size === 0 ? 'Choose chats' : `${selected.size} chosen`}
      </span>
      <span className="flex gap-1.5">
        <Button size="small" kind="ghost" onClick={onDone}>
          Cancel
        </Button>
        <Button
          size="small"
          kind="danger"
          icon={Trash2}
          disabled={selected.size === 0}
          busy={remove.isPending}
          onClick={() => void ask()}
        >
          Delete
        </Button>
      </span>
    </div>
  )
}
