import type { Conversation } from '@parley/client/schemas'
import { Archive, ArchiveRestore, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useDelete } from '../../ui/deletions.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('conversations')

type Shown = Pick<Conversation, 'id' | 'title' | 'is_archived'>

const OUTDATED = ['GET /api/conversation/list', 'GET /api/conversation/get_with_sessions'] as const

export function ConversationMenu({
  conversation,
  onDeleted,
}: {
  conversation: Shown
  onDeleted?: () => void
}) {
  const { id, title, is_archived } = conversation
  const { organization, may } = useHere()
  const notify = useNotify()
  const [isRenaming, setRenaming] = useState(false)
  const query = { org_id: organization.id, conversation_id: id }
  const archive = useChange('PUT /api/conversation/update', { outdates: OUTDATED })
  const remove = useDelete('DELETE /api/conversation/delete', ['GET /api/conversation/list'])
  const setArchived = (to: boolean) => {
    // Uses mutateAsync, because mutate skips its callbacks after the component unmounts. The component unmounts if
    // the change removes the conversation from the list.
    void archive
      .mutateAsync({ query, body: { is_archived: to } })
      .then(
        () => notify({ text: to ? t('menu.archived') : t('menu.unarchived'), undo: () => setArchived(!to) }),
        notify,
      )
  }
  if (!may('conversation:write')) return null
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={t('menu.label', { title })} small />}>
        <MenuItem icon={Pencil} onSelect={() => setRenaming(true)}>
          {t('menu.rename')}
        </MenuItem>
        <MenuItem icon={is_archived ? ArchiveRestore : Archive} onSelect={() => setArchived(!is_archived)}>
          {is_archived ? t('menu.unarchive') : t('menu.archive')}
        </MenuItem>
        {may('conversation:delete') && (
          <>
            <MenuLine />
            <MenuItem
              icon={Trash2}
              danger
              onSelect={() => {
                remove([id], t('menu.deleted'), { query })
                onDeleted?.()
              }}
            >
              {t('menu.delete')}
            </MenuItem>
          </>
        )}
      </Menu>
      {isRenaming && <Rename conversation={conversation} onClose={() => setRenaming(false)} />}
    </>
  )
}

function Rename({ conversation: { id, title }, onClose }: { conversation: Shown; onClose: () => void }) {
  const { organization } = useHere()
  const [text, setText] = useState(title)
  const rename = useChange('PUT /api/conversation/update', { outdates: OUTDATED, onDone: onClose })
  const submit = () => {
    const query = { org_id: organization.id, conversation_id: id }
    rename.mutate({ query, body: { title: text.trim() } })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('rename.title')}
      action={t('rename.action')}
      busy={rename.isPending}
      error={rename.error}
      onSubmit={submit}
    >
      <TextField
        label={t('rename.name')}
        required
        maxLength={500}
        pattern=".*\S.*"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  )
}
