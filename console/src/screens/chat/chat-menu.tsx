import type { Chat } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Archive,
  ArchiveRestore,
  Download,
  FileJson,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from 'lucide-react'
import { download } from '../../api/download.ts'
import { type Body, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Trigger } from '../../ui/late-panel.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { changeChat } from './chat-data.ts'
import { useChatDialog } from './chat-dialogs.tsx'
import { useDeleteChats } from './delete-chats.ts'

const t = translator('chat')

export function ChatMenu({ chat, isOpen, trigger }: { chat: Chat; isOpen: boolean; trigger: Trigger }) {
  const { may } = useHere()
  const openDialog = useChatDialog()
  const change = useChatChange(chat)
  const remove = useDeleteChats()
  const navigate = useNavigate()
  const save = useExport(chat)
  const isArchived = chat.status === 'ARCHIVED'
  return (
    <Menu trigger={trigger}>
      {may('chats:write') && (
        <>
          <MenuItem icon={Pencil} onSelect={() => openDialog({ dialog: 'rename', chat })}>
            {t('menu.rename')}
          </MenuItem>
          <MenuItem
            icon={chat.pinned ? PinOff : Pin}
            onSelect={() =>
              change({ pinned: !chat.pinned }, chat.pinned ? t('menu.unpinned') : t('menu.pinned'))
            }
          >
            {chat.pinned ? t('menu.unpin') : t('menu.pin')}
          </MenuItem>
          <MenuItem icon={FolderInput} onSelect={() => openDialog({ dialog: 'move', chat })}>
            {t('menu.move')}
          </MenuItem>
          <MenuItem
            icon={isArchived ? ArchiveRestore : Archive}
            onSelect={() =>
              isArchived
                ? change({ status: 'ACTIVE' }, t('menu.unarchived'), { status: 'ARCHIVED' })
                : change({ status: 'ARCHIVED' }, t('menu.archived'), { status: 'ACTIVE' })
            }
          >
            {isArchived ? t('menu.unarchive') : t('menu.archive')}
          </MenuItem>
          <MenuLine />
        </>
      )}
      <MenuItem icon={Download} onSelect={() => save('markdown')}>
        {t('menu.exportMarkdown')}
      </MenuItem>
      <MenuItem icon={FileJson} onSelect={() => save('json')}>
        {t('menu.exportJson')}
      </MenuItem>
      {may('chats:delete') && (
        <>
          <MenuLine />
          <MenuItem
            icon={Trash2}
            danger
            onSelect={() => {
              remove([chat.id])
              if (isOpen) void navigate({ to: '/chats' })
            }}
          >
            {t('menu.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

type ChatChange = Body<'PUT /api/chat'>

function useChatChange(chat: Chat) {
  const client = useQueryClient()
  const notify = useNotify()
  const place = { org_id: chat.organization_id, chat_id: chat.id }
  const { mutateAsync } = useChange('PUT /api/chat', {
    outdates: ['GET /api/chat/list'],
    onDone: (now) => changeChat(client, place, now),
  })
  // Uses mutateAsync, because mutate skips its callbacks after the component unmounts. The component unmounts if the
  // change removes the chat from the list.
  const change = (body: ChatChange, text: string, before?: ChatChange): Promise<void> =>
    mutateAsync({ query: place, body }).then(
      () => notify({ text, ...(before && { undo: () => void change(before, t('menu.undone')) }) }),
      notify,
    )
  return (body: ChatChange, text: string, before?: ChatChange) => void change(body, text, before)
}

function useExport({ id, organization_id, title }: Chat) {
  const notify = useNotify()
  return (format: 'markdown' | 'json') =>
    void download('/api/chat/export', {
      query: { org_id: organization_id, chat_id: id, format },
      name: `${title.replace(/[^\p{L}\p{N} _-]+/gu, '').trim() || t('menu.exportFilename')}.${format === 'json' ? 'json' : 'md'}`,
    }).catch(notify)
}
