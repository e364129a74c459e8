import { type KeyboardEvent, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { isEnter } from '../../ui/keys.tsx'
import { useConversationState } from './conversation-context.ts'

const t = translator('chat')

interface EditedMessageProps {
  content: string
  onCancel: () => void
  onSend: (content: string) => void
}

/** A form with the text of a sent message. Its keys are those of the composer, and Escape cancels. */
export function EditedMessage({ content, onCancel, onSend }: EditedMessageProps) {
  const [text, setText] = useState(content)
  const { isBusy } = useConversationState()
  const send = () => {
    if (text.trim() !== '' && !isBusy) onSend(text)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onCancel()
    if (!isEnter(event)) return
    event.preventDefault()
    send()
  }
  return (
    <form
      aria-label={t('messages.edit')}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      className="flex flex-col gap-2 rounded-2xl border border-line-strong bg-raised p-3"
    >
      <textarea
        aria-label={t('composer.message')}
        // biome-ignore lint/a11y/noAutofocus: the user chose to edit, and Escape cancels
        autoFocus
        // The browser would put the caret before the text.
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        value={text}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        className="field-sizing-content max-h-96 w-full resize-none bg-transparent outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto min-w-0 text-sm text-muted">{t('messages.editHint')}</p>
        <Button size="small" onClick={onCancel}>
          {t('messages.cancel')}
        </Button>
        <Button size="small" kind="primary" type="submit" disabled={text.trim() === '' || isBusy}>
          {t('composer.send')}
        </Button>
      </div>
    </form>
  )
}
