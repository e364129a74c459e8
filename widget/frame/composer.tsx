import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { SendIcon, StopIcon } from './icons.tsx'
import { t } from './text.ts'

/** The longest message. */
const CHARACTERS_MAX = 8_000
/** With so few left, the rest is counted. */
const CHARACTERS_TOLD = 500
/** What browsers call a key that an input method has taken; some say nothing else (UI Events, 7.3.1). */
const COMPOSING_KEY_CODE = 229

interface ComposerProps {
  isStarting: boolean
  isClosed: boolean
  canSend: boolean
  onSend: (text: string) => void
  onStop: (() => void) | null
}

/** Where the focus goes when what had it is gone. */
export const focusComposer = (): void => document.querySelector('textarea')?.focus()

/** What is sent before the chat has begun stays in the field, and goes out when it has. */
export function Composer({ isStarting, isClosed, canSend, onSend, onStop }: ComposerProps): VNode {
  const [text, setText] = useState('')
  const [isWaiting, setWaiting] = useState(false)
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
    if (text.trim() === '') return
    if (isStarting) setWaiting(true)
    if (!canSend) return
    setWaiting(false)
    onSend(text.trim())
    setText('')
    field.current?.focus()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is sent once, when it can be
  useEffect(() => {
    if (isWaiting && canSend) send()
  }, [isWaiting, canSend])

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
        readOnly={isWaiting}
        maxLength={CHARACTERS_MAX}
        aria-label={t('message')}
        placeholder={t('placeholder')}
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
        <button type="button" class="round" aria-label={t('stop')} title={t('stop')} onClick={stop}>
          <StopIcon />
        </button>
      ) : (
        <button
          type="submit"
          class="round"
          aria-label={t('send')}
          title={t('send')}
          disabled={!(canSend || isStarting) || isWaiting || text.trim() === ''}
        >
          <SendIcon />
        </button>
      )}
      {isWaiting && (
        <p class="note" role="status">
          {t('connecting')}
        </p>
      )}
      {left < CHARACTERS_TOLD && (
        <p class="note" role="status">
          {t('charactersLeft', { count: left })}
        </p>
      )}
    </form>
  )
}
