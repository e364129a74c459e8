import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { SendIcon, StopIcon } from './icons.tsx'
import { t } from './text.ts'

const CHARACTERS_MAX = 8_000
/** The counter appears when fewer characters than this are left. */
const COUNTER_THRESHOLD = 500
/**
 * The key code of a key pressed during input-method composition. Some browsers report it instead of `isComposing` (UI
 * Events, 7.3.1).
 */
const COMPOSING_KEY_CODE = 229

interface ComposerProps {
  isStarting: boolean
  isClosed: boolean
  canSend: boolean
  onSend: (text: string) => void
  onStop: (() => void) | null
}

/** Focuses the message field, for example after the focused element was removed. */
export const focusComposer = (): void => document.querySelector('textarea')?.focus()

/**
 * The message field with its button. A message submitted while the chat is starting is sent when the chat has
 * started.
 */
export function Composer({ isStarting, isClosed, canSend, onSend, onStop }: ComposerProps): VNode {
  const [text, setText] = useState('')
  const [isWaiting, setWaiting] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const left = CHARACTERS_MAX - text.length

  // Grow the field with its text. The style sheet sets the maximum height.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: sends once, as soon as possible
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
      {left < COUNTER_THRESHOLD && (
        <p class="note" role="status">
          {t('charactersLeft', { count: left })}
        </p>
      )}
    </form>
  )
}
