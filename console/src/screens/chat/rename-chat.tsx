import type { Chat } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { changeChat } from './chat-data.ts'

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
      title="Rename the chat"
      action="Rename"
      busy={rename.isPending}
      error={rename.error}
      onSubmit={submit}
    >
      <TextField
        label="Title"
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
