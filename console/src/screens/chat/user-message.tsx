import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { BranchArrows } from './branch-arrows.tsx'
import { useActions } from './conversation-context.ts'
import { EditedMessage } from './edited-message.tsx'
import { Files } from './files.tsx'
import type { MessageRowProps } from './message-row-props.ts'
import { isStored } from './pending.ts'

const t = translator('chat')

/** Maximum length of a message that is shown in full. A longer message is collapsed. */
const SHOWN_CHARACTERS_MAX = 1_500
const SHOWN_LINES_MAX = 15

export function UserMessage({ message, beside }: MessageRowProps) {
  const { mayWrite, edit } = useActions()
  const [isEdited, setEdited] = useState(false)
  const { content, file_uploads: files } = message
  if (isEdited)
    return (
      <EditedMessage
        content={content}
        onCancel={() => setEdited(false)}
        onSend={(text) => {
          setEdited(false)
          edit(message, text)
        }}
      />
    )
  return (
    <article aria-label={t('messages.you')} className="group flex flex-col items-end gap-1.5">
      {files.length > 0 && <Files files={files} isOwn />}
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5">
        <FoldedText text={content} />
      </div>
      <div className="flex items-center gap-0.5">
        <BranchArrows message={message} beside={beside} />
        <CopyButton text={content} what={t('messages.copy')} />
        {mayWrite && isStored(message) && (
          <IconButton small icon={Pencil} label={t('messages.edit')} onClick={() => setEdited(true)} />
        )}
      </div>
    </article>
  )
}

function FoldedText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false)
  const lines = text.split('\n')
  const isLong = text.length > SHOWN_CHARACTERS_MAX || lines.length > SHOWN_LINES_MAX
  const beginning = lines.slice(0, SHOWN_LINES_MAX).join('\n').slice(0, SHOWN_CHARACTERS_MAX)
  return (
    <>
      <p className="wrap-anywhere whitespace-pre-wrap">{isLong && !isOpen ? `${beginning}…` : text}</p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="mt-1 text-sm font-medium text-accent hover:underline"
        >
          {isOpen ? t('messages.showLess') : t('messages.showMore')}
        </button>
      )}
    </>
  )
}
