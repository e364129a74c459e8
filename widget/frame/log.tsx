import { Component, type VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { focusComposer } from './composer.tsx'
import type { Entry, Question, Reply } from './entries.ts'
import { Markdown } from './markdown.tsx'
import { t } from './text.ts'

interface LogProps {
  author: string
  welcome: string | null
  /** Questions that the visitor can send with one click. */
  starters: readonly string[]
  entries: readonly Entry[]
  onSend: (text: string) => void
  onTryAgain: (() => void) | null
  /** Continues the newest reply if it was cut off. Null while the visitor cannot send a message. */
  onContinue: (() => void) | null
}

/** New text scrolls into view automatically within this distance of the end, in pixels. */
const END_MARGIN = 48

export function Log({ author, welcome, starters, entries, onSend, onTryAgain, onContinue }: LogProps): VNode {
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const newest = entries.at(-1)
  const questions = entries.filter(({ role }) => role === 'user').length

  // When the visitor sends a message, scroll to the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new message
  useLayoutEffect(() => {
    isAtEnd.current = true
  }, [questions])
  useLayoutEffect(() => {
    const { current } = log
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight
  })

  // Stay at the end when an on-screen keyboard makes the log smaller.
  useEffect(() => {
    const { current } = log
    if (!current) return
    const watcher = new ResizeObserver(() => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight
    })
    watcher.observe(current)
    return () => watcher.disconnect()
  }, [])

  return (
    <>
      <div
        ref={log}
        class="log"
        role="log"
        // A live region would read a streamed reply in pieces. `Announcement` reads the complete reply instead.
        aria-live="off"
        aria-label={t('conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_MARGIN
        }}
      >
        <article class={welcome === null ? 'reply greeting' : 'reply'}>
          <Markdown text={welcome ?? t('welcome')} />
        </article>
        {starters.length > 0 && <Starters questions={starters} onSend={onSend} />}
        {entries.map((entry) => (
          <EntryView
            key={entry.key}
            entry={entry}
            author={author}
            onTryAgain={entry === newest ? onTryAgain : null}
            onContinue={entry === newest ? onContinue : null}
          />
        ))}
      </div>
      <Announcement log={log} newest={newest} />
    </>
  )
}

function Starters({
  questions,
  onSend,
}: {
  questions: readonly string[]
  onSend: (text: string) => void
}): VNode {
  const send = (text: string): void => {
    onSend(text)
    focusComposer()
  }
  return (
    <ul class="starters" aria-label={t('starters')}>
      {questions.map((text) => (
        <li key={text}>
          <button type="button" onClick={() => send(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface EntryProps {
  entry: Entry
  author: string
  onTryAgain: (() => void) | null
  onContinue: (() => void) | null
}

/** Renders only when its entry changes, so earlier messages are not rendered again while the newest reply streams. */
class EntryView extends Component<EntryProps> {
  override shouldComponentUpdate({ entry, onTryAgain, onContinue }: EntryProps): boolean {
    const { props } = this
    return (
      entry !== props.entry ||
      (onTryAgain === null) !== (props.onTryAgain === null) ||
      (onContinue === null) !== (props.onContinue === null)
    )
  }

  render({ entry, author, onTryAgain, onContinue }: EntryProps): VNode {
    return (
      <>
        {entry.role === 'user' ? (
          <QuestionView {...entry} />
        ) : (
          <ReplyView reply={entry} author={author} onContinue={onContinue} />
        )}
        {entry.problem !== null && (
          <p class="problem">
            {entry.problem}{' '}
            {onTryAgain && (
              <button type="button" class="link" onClick={onTryAgain}>
                {t('retry')}
              </button>
            )}
          </p>
        )}
      </>
    )
  }
}

const QuestionView = ({ text, problem }: Question): VNode => (
  <article class={problem === null ? 'question' : 'question unsent'} aria-label={t('you')}>
    {text}
  </article>
)

interface ReplyProps extends Pick<EntryProps, 'author' | 'onContinue'> {
  reply: Reply
}

function ReplyView({ reply, author, onContinue }: ReplyProps): VNode | null {
  const { text, reasoning, status, problem } = reply
  const end = endOf(reply)
  const isWaiting = status === 'streaming' && problem === null
  if (status === 'error' && text === '' && reasoning === '') return null
  return (
    <article class="reply" aria-label={author} aria-busy={isWaiting}>
      {reasoning !== '' && (
        <details>
          <summary>{t('reasoning')}</summary>
          <p class="as-written">{reasoning}</p>
        </details>
      )}
      <Markdown text={text} />
      {text === '' && isWaiting && <Dots />}
      {text === '' && status === 'complete' && end === null && <p class="note">{t('noText')}</p>}
      {status === 'stopped' && <p class="note">{t('stopped')}</p>}
      {end !== null && (
        <p class="note">
          {end}{' '}
          {reply.finishReason === 'length' && onContinue && (
            <button type="button" class="link" onClick={onContinue}>
              {t('continue')}
            </button>
          )}
        </p>
      )}
    </article>
  )
}

/** Returns a sentence for a complete reply that the model or its provider ended early. */
function endOf({ status, finishReason }: Reply): string | null {
  if (status !== 'complete') return null
  if (finishReason === 'length') return t('endLength')
  if (finishReason === 'content_filter') return t('endFilter')
  return finishReason === 'refusal' ? t('endRefusal') : null
}

const Dots = (): VNode => (
  <p class="dots" role="img" aria-label={t('writing')}>
    <span />
    <span />
    <span />
  </p>
)

/** Announces a complete or failed reply to screen readers. */
function Announcement({
  log,
  newest,
}: {
  log: { current: HTMLElement | null }
  newest: Entry | undefined
}): VNode {
  const [words, setWords] = useState('')
  const wasStreaming = useRef(false)
  const isStreaming = newest?.role === 'assistant' && newest.status === 'streaming' && newest.problem === null
  useEffect(() => {
    if (isStreaming) setWords(t('writing'))
    else if (wasStreaming.current) setWords(newest?.problem ?? readOut(log.current) ?? '')
    wasStreaming.current = isStreaming
  }, [isStreaming, newest, log])
  return (
    <p class="unseen" role="status">
      {words}
    </p>
  )
}

/** Returns the text of the newest reply, without its buttons and collapsible sections. */
function readOut(log: HTMLElement | null): string | undefined {
  const shown = [...(log?.querySelectorAll('article') ?? [])].at(-1)?.cloneNode(true) as Element | undefined
  for (const part of shown?.querySelectorAll('button, details') ?? []) part.remove()
  return shown?.textContent
}
