import type { Chat } from '@parley/client/schemas'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Folder, FolderX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { changeChat } from './chat-data.ts'
import { chatTitle } from './chat-title.ts'

const t = translator('chat')

const NAME_CHARACTERS_MAX = 100

export const MoveChat = ({ chat, onClose }: { chat: Chat; onClose: () => void }) => (
  <Dialog open onClose={onClose} title={t('move.title')} description={chatTitle(chat)}>
    <Folders chat={chat} onDone={onClose} />
  </Dialog>
)

function Folders({ chat, onDone }: { chat: Chat; onDone: () => void }) {
  const client = useQueryClient()
  const notify = useNotify()
  const [name, setName] = useState('')
  const place = { org_id: chat.organization_id, chat_id: chat.id }
  const folders = useQuery(read('GET /api/chat/list_folders', { org_id: chat.organization_id }))
  const move = useChange('PUT /api/chat', {
    outdates: ['GET /api/chat/list', 'GET /api/chat/list_folders'],
    onDone: (now) => {
      changeChat(client, place, now)
      notify(now.folder === null ? t('move.removed') : t('move.moved', { folder: now.folder }))
      onDone()
    },
  })
  const moveTo = (folder: string | null) => move.mutate({ query: place, body: { folder } })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    moveTo(name.trim())
  }
  const choices = (all: { name: string; chats: number }[]) => all.filter((one) => one.name !== chat.folder)
  return (
    <>
      <Loaded query={folders}>
        {({ folders: all }) => (
          <ul className={classNames('flex flex-col', choices(all).length > 0 && '-mx-2')}>
            {choices(all).map((folder) => (
              <li key={folder.name}>
                <button
                  type="button"
                  disabled={move.isPending}
                  onClick={() => moveTo(folder.name)}
                  className="flex h-9 w-full items-center touch:h-10 gap-2.5 rounded-lg px-2 text-left text-sm hover:bg-hover"
                >
                  <Folder aria-hidden size={16} className="shrink-0 text-muted" />
                  <span className="min-w-0 grow truncate">{folder.name}</span>
                  <span className="text-muted tabular-nums">{formatNumber(folder.chats)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {chat.folder !== null && (
        <Button icon={FolderX} onClick={() => moveTo(null)} busy={move.isPending} className="self-start">
          {t('move.remove', { folder: chat.folder })}
        </Button>
      )}
      <form onSubmit={submit} className="flex items-end gap-2">
        <div className="grow">
          <TextField
            label={t('move.newFolder')}
            required
            pattern=".*\S.*"
            maxLength={NAME_CHARACTERS_MAX}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button type="submit" kind="primary" busy={move.isPending}>
          {t('move.action')}
        </Button>
      </form>
      {move.error && <Failure error={move.error} />}
    </>
  )
}
