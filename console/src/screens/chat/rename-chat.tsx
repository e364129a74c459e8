import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import type { Chat } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { changeChat } from './chat-data.ts'

const TITLE_CHARACTERS_MAX = 500

export function RenameChat({ chat, open, onClose }: { chat: Chat; open: boolean; onClose: () => void }) {
  const id = useId()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Rename the chat"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id}>
            Rename
          </Button>
        </>
      }
    >
      <RenameForm id={id} chat={chat} onDone={onClose} />
    </Dialog>
  )
}

function RenameForm({ id, chat, onDone }: { id: string; chat: Chat; onDone: () => void }) {
  const client = useQueryClient()
  const [title, setTitle] = useState(chat.title)
  const place = { org_id: chat.organization_id, chat_id: chat.id }
  const rename = useChange('PUT /api/chat', {
    outdates: ['GET /api/chat/list'],
    onDone: (now) => {
      changeChat(client, place, now)
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate({ query: place, body: { title: title.trim() } })
  }
  return (
    <form id={id} onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Title"
        required
        pattern=".*\S.*"
        maxLength={TITLE_CHARACTERS_MAX}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        onFocus={({ target }) => target.select()}
      />
      {rename.error && <Failure error={rename.error} />}
    </form>
  )
}
