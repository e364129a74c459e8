import type { ChatMessage } from '@parley/client/schemas'
import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { BranchArrows } from './branch-arrows.tsx'
import { useActions, useConversationState } from './conversation-context.ts'
import { Files } from './files.tsx'
import type { MessageRowProps } from './message-row-props.ts'

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
        {mayWrite && (
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

interface EditedMessageProps {
  content: string
  onCancel: () => void
  onSend: (content: ChatMessage['content']) => void
}

function EditedMessage({ content, onCancel, onSend }: EditedMessageProps) {
  const [text, setText] = useState(content)
  const { isBusy } = useConversationState()
  const canSend = text.trim() !== '' && !isBusy
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !canSend) return
    event.preventDefault()
    onSend(text)
  }
  return (
    <form
      aria-label={t('messages.edit')}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) onSend(text)
      }}
      className="flex flex-col gap-2 rounded-2xl border border-line-strong bg-raised p-3"
    >
      <textarea
        aria-label={t('composer.message')}
        // biome-ignore lint/a11y/noAutofocus: the user chose to edit, and Escape cancels
        autoFocus
        value={text}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        className="w-full resize-none bg-transparent outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-sm text-muted">{t('messages.editHint')}</p>
        <Button size="small" onClick={onCancel}>
          {t('messages.cancel')}
        </Button>
        <Button size="small" kind="primary" type="submit" disabled={!canSend}>
          {t('composer.send')}
        </Button>
      </div>
    </form>
  )
}
