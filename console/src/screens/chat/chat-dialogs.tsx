import type { Chat } from '@parley/client/schemas'
import { createContext, type ReactNode, use, useState } from 'react'
import { MoveChat } from './move-chat.tsx'
import { RenameChat } from './rename-chat.tsx'

interface Shown {
  dialog: 'rename' | 'move'
  chat: Chat
}

const Context = createContext<(shown: Shown) => void>(() => {})

/** Returns a function that opens a dialog about a chat. The dialog stays when the list no longer shows the chat. */
export const useChatDialog = (): ((shown: Shown) => void) => use(Context)

export function ChatDialogs({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const close = () => setShown(null)
  return (
    <Context value={setShown}>
      {children}
      {shown?.dialog === 'rename' && <RenameChat chat={shown.chat} onClose={close} />}
      {shown?.dialog === 'move' && <MoveChat chat={shown.chat} onClose={close} />}
    </Context>
  )
}
