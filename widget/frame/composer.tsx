import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { SendIcon, StopIcon } from './icons.tsx'
import { WORDS } from './words.ts'

/** The longest message. */
const CHARACTERS_MAX = 8_000
/** With so few left, the rest is counted. */
const CHARACTERS_TOLD = 500
/** What browsers call a key that an input method has taken; some say nothing else (UI Events, 7.3.1). */
const COMPOSING_KEY_CODE = 229

interface ComposerProps {
  isClosed: boolean
  canSend: boolean
  onSend: (text: string) => void
  onStop: (() => void) | null
}

/** Where the focus goes when what had it is gone. */
export const focusComposer = (): void => document.querySelector('textarea')?.focus()

export function Composer({ isClosed, canSend, onSend, onStop }: ComposerProps): VNode {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const left = CHARACTERS_MAX - text.length

  // As tall as its text; how tall at most, the style sheet says.
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows the text
  useLayoutEffect(() => {
    const { current } = field
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${current.scrollHeight}px`
  }, [text])

  const send = (): void => {
    if (!canSend || text.trim() === '') return
    onSend(text.trim())
    setText('')
    field.current?.focus()
  }

  const stop = (): void => {
    onStop?.()
    field.current?.focus()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        value={text}
        disabled={isClosed}
        maxLength={CHARACTERS_MAX}
        aria-label={WORDS.message}
        placeholder={WORDS.placeholder}
        enterkeyhint="send"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return
          if (event.isComposing || event.keyCode === COMPOSING_KEY_CODE) return
          event.preventDefault()
          send()
        }}
      />
      {onStop ? (
        <button type="button" class="round" aria-label={WORDS.stop} title={WORDS.stop} onClick={stop}>
          <StopIcon />
        </button>
      ) : (
        <button
          type="submit"
          class="round"
          aria-label={WORDS.send}
          title={WORDS.send}
          disabled={!canSend || text.trim() === ''}
        >
          <SendIcon />
        </button>
      )}
      {left < CHARACTERS_TOLD && (
        <p class="note" role="status">
          {WORDS.charactersLeft(left)}
        </p>
      )}
    </form>
  )
}
