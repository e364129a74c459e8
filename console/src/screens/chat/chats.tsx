import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { ChatDialogs } from './chat-dialogs.tsx'
import { ChatList } from './chat-list.tsx'
import { Conversation } from './conversation.tsx'

const t = translator('chat')

export function Chats() {
  const { organization } = useHere()
  const { chatId = null } = useParams({ strict: false })
  const [isListOpen, setListOpen] = useState(false)
  return (
    <ChatDialogs>
      <div className="flex h-full min-h-0">
        <aside
          aria-label={t('chats')}
          className="hidden w-72 shrink-0 border-r border-line bg-surface xl:block"
        >
          <ChatList openId={chatId} />
        </aside>
        <Drawer open={isListOpen} onClose={() => setListOpen(false)} title={t('chats')} side="left">
          <div className="-m-4 h-[calc(100%+2rem)]">
            <ChatList openId={chatId} onChosen={() => setListOpen(false)} />
          </div>
        </Drawer>
        <Conversation key={organization.id} chatId={chatId} onShowList={() => setListOpen(true)} />
      </div>
    </ChatDialogs>
  )
}
