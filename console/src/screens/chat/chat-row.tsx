import type { Chat } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Pin } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatAgo } from '../../ui/format.ts'
import { readChat } from './chat-data.ts'
import { ChatMenu } from './chat-menu.tsx'
import { chatTitle } from './chat-title.ts'

const t = translator('chat')

interface ChatRowProps {
  chat: Chat
  isOpen: boolean
  onChosen: (() => void) | undefined
  /** Whether the chat is selected. Null if the list is not in selection mode. */
  isSelected: boolean | null
  onSelect: (isSelected: boolean) => void
}

export function ChatRow({ chat, isOpen, onChosen, isSelected, onSelect }: ChatRowProps) {
  const client = useQueryClient()
  const title = chatTitle(chat)
  const look = classNames(
    'group flex h-9 touch:h-11 items-center gap-2 rounded-lg pr-1 pl-2 text-sm hover:bg-hover',
    isOpen && 'bg-accent-soft hover:bg-accent-soft',
  )
  if (isSelected !== null)
    return (
      <label className={`${look} cursor-pointer`}>
        <input
          type="checkbox"
          checked={isSelected}
          onChange={({ target }) => onSelect(target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 truncate">{title}</span>
      </label>
    )
  return (
    <div className={look}>
      <Link
        to="/chats/$chatId"
        params={{ chatId: chat.id }}
        search={{ message: undefined }}
        // The chat loads while the button is still pressed.
        onPointerDown={() =>
          void client.prefetchQuery(readChat({ org_id: chat.organization_id, chat_id: chat.id }))
        }
        onClick={onChosen}
        title={t('list.row', { title, ago: formatAgo(chat.last_message_at ?? chat.created_at) })}
        className={classNames(
          'min-w-0 grow truncate py-1.5 touch:py-2.5 -outline-offset-2',
          isOpen && 'font-medium text-accent',
        )}
      >
        {title}
      </Link>
      {chat.pinned && <Pin aria-label={t('list.pinned')} size={13} className="shrink-0 text-muted" />}
      <ChatMenu
        chat={chat}
        isOpen={isOpen}
        trigger={
          <IconButton
            small
            icon={Ellipsis}
            label={t('list.rowActions', { title })}
            className="xl:opacity-0 xl:group-focus-within:opacity-100 xl:group-hover:opacity-100 data-[state=open]:opacity-100"
          />
        }
      />
    </div>
  )
}
