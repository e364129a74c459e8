import type { Chat } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { changeChat } from './chat-data.ts'

const t = translator('chat')

const TITLE_CHARACTERS_MAX = 500

export function RenameChat({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const client = useQueryClient()
  const [title, setTitle] = useState(chat.title)
  const place = { org_id: chat.organization_id, chat_id: chat.id }
  const rename = useChange('PUT /api/chat', {
    outdates: ['GET /api/chat/list'],
    onDone: (now) => {
      changeChat(client, place, now)
      onClose()
    },
  })
  const submit = () => {
    rename.mutate({ query: place, body: { title: title.trim() } })
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
        pattern=".*\S.*"
        maxLength={TITLE_CHARACTERS_MAX}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        onFocus={({ target }) => target.select()}
      />
    </FormDialog>
  )
}
