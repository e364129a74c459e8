import { SendHorizontal, Square } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { translator } from '../messages/index.ts'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { isEnter } from './keys.tsx'

const t = translator('ui')

interface ComposerProps {
  placeholder: string
  /** Whether a reply is in progress. If so, the user can stop it, and cannot send another message. */
  isWriting: boolean
  onSend: (text: string) => void
  onStop: () => void
  className?: string
}

/** A field for a short message. Enter sends the message, and Shift+Enter starts a new line. */
export function Composer({ placeholder, isWriting, onSend, onStop, className }: ComposerProps) {
  const [text, setText] = useState('')
  const canSend = !isWriting && text.trim() !== ''
  const send = () => {
    if (!canSend) return
    onSend(text)
    setText('')
  }
  const press = (event: KeyboardEvent) => {
    if (!isEnter(event)) return
    event.preventDefault()
    send()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      className={classNames('flex items-end gap-2 border-t border-line', className)}
    >
      <textarea
        aria-label={t('composer.message')}
        placeholder={placeholder}
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        className="field-sizing-content max-h-48 min-w-0 grow resize-none rounded-lg border border-line-strong/60 bg-raised px-3 py-2"
      />
      {isWriting ? (
        <IconButton icon={Square} label={t('composer.stop')} onClick={onStop} />
      ) : (
        <IconButton icon={SendHorizontal} label={t('composer.send')} type="submit" disabled={!canSend} />
      )}
    </form>
  )
}
