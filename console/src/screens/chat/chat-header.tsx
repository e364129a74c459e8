import type { Chat } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Folder, PanelLeft, SquarePen } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { MenuButton } from '../../shell/phone-header.tsx'
import { IconButton } from '../../ui/button.tsx'
import { formatCredits } from '../../ui/format.ts'
import { ChatMenu } from './chat-menu.tsx'
import { chatTitle } from './chat-title.ts'

const t = translator('chat')

export const ChatHeader = ({ chat, onShowList }: { chat: Chat | null; onShowList: () => void }) => (
  <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 xl:px-4">
    <MenuButton />
    <IconButton icon={PanelLeft} label={t('header.showChats')} onClick={onShowList} className="xl:hidden" />
    <h1 className="min-w-0 truncate font-semibold">{chat ? chatTitle(chat) : t('newChat')}</h1>
    {chat?.folder && (
      <span className="ml-2 hidden min-w-0 items-center gap-1 text-sm text-muted sm:flex">
        <Folder aria-hidden size={14} className="shrink-0" />
        <span className="truncate">{chat.folder}</span>
      </span>
    )}
    <span className="grow" />
    {chat && chat.usage.messages > 0 && (
      <span
        className="hidden shrink-0 px-2 text-xs text-muted sm:inline"
        title={t('usage.inAndOut', { input: chat.usage.input_tokens, output: chat.usage.output_tokens })}
      >
        {t('usage.credits', { count: chat.usage.credits, credits: formatCredits(chat.usage.credits) })}
      </span>
    )}
    <Link
      to="/chats"
      search={{ message: undefined }}
      aria-label={t('newChat')}
      title={t('newChat')}
      className="inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-ink touch:size-10 xl:hidden"
    >
      <SquarePen aria-hidden size={18} />
    </Link>
    {chat && (
      <ChatMenu chat={chat} isOpen trigger={<IconButton icon={Ellipsis} label={t('header.actions')} />} />
    )}
  </header>
)
