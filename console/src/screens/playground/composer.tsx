import { SendHorizontal, Square } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'

interface ComposerProps {
  isWriting: boolean
  onSend: (text: string) => void
  onStop: () => void
}

export function Composer({ isWriting, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (isWriting || text.trim() === '') return
    onSend(text)
    setText('')
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form onSubmit={send} className="flex items-end gap-2 border-t border-line px-4 py-3 sm:px-8">
      <textarea
        aria-label="Message"
        placeholder="What should be done?"
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        className="field-sizing-content max-h-48 min-w-0 grow resize-none rounded-lg border border-line-strong/60 bg-raised px-3 py-2"
      />
      {isWriting ? (
        <IconButton icon={Square} label="Stop" onClick={onStop} />
      ) : (
        <IconButton icon={SendHorizontal} label="Send" type="submit" disabled={text.trim() === ''} />
      )}
    </form>
  )
}
