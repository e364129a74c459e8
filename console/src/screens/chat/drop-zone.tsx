import { Paperclip } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { attach } from './drafts.ts'
import { draftKeyOf } from './use-conversation.ts'

const t = translator('chat')

/** Attaches files that the user drops or pastes in the chat to its draft. */
export function DropZone({
  chatId,
  className,
  children,
}: {
  chatId: string | null
  className: string
  children: ReactNode
}) {
  const here = useHere()
  const { organization, may } = here
  const [isOver, setOver] = useState(false)
  const take = (files: FileList) =>
    attach(draftKeyOf(here, chatId), uploadQueryOf(organization.id, chatId), files)
  const hasFiles = (event: DragEvent) => may('chats:write') && event.dataTransfer.types.includes('Files')
  const drag = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  const paste = (event: ClipboardEvent) => {
    if (!may('chats:write') || event.clipboardData.files.length === 0) return
    // The clipboard contains text, too. Spreadsheets, for example, copy cells as text and as an image. Paste the
    // text.
    if (event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    take(event.clipboardData.files)
  }
  const leave = (event: DragEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen by a button too
    <div onDragOver={drag} onDragLeave={leave} onDrop={drop} onPaste={paste} className={className}>
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-30 flex flex-col items-center justify-center gap-2 rounded-2xl border-2 border-dashed border-accent bg-accent-soft text-accent">
          <Paperclip aria-hidden size={26} />
          {t('attachments.drop')}
        </div>
      )}
    </div>
  )
}

export const uploadQueryOf = (org_id: string, chatId: string | null) => ({
  org_id,
  ...(chatId !== null && { chat_id: chatId }),
})
