import type { ChatMessage } from '@parley/client/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Failure } from '../../ui/states.tsx'
import type { Branch } from './branch.ts'
import { type ChatPlace, loadOlder } from './chat-data.ts'
import { keyOf } from './live-replies.ts'
import type { LiveReply } from './live-reply.ts'
import { MessageRow } from './message-row.tsx'
import { useShownMessage } from './use-shown-message.ts'

const t = translator('chat')

interface MessageListProps {
  place: ChatPlace
  branch: Branch
  siblings: Map<string | null, ChatMessage[]>
  live: LiveReply | null
  hasOlder: boolean
}

/** New text scrolls into view automatically within this distance of the end, in pixels. */
const END_PIXELS = 80
/** Older messages load when fewer than this number of messages are left above the visible ones. */
const OLDER_FROM = 8
const CHARACTERS_A_LINE = 80
const LINE_PIXELS = 24

/** A virtualized list of a branch's messages. Follows new text while the list is scrolled to the end. */
export function MessageList({ place, branch, siblings, live, hasOlder }: MessageListProps) {
  const { messages, goesOn } = branch
  const scroller = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const last = messages.length - 1
  const list = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(messages[index]),
    getItemKey: (index) => keyOf(messages[index]?.id ?? ''),
    overscan: 2,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PIXELS,
    directDomUpdates: true,
    useFlushSync: false,
    // Keep the last message mounted while it is out of view. Mounting a streaming reply again would parse all of its
    // text.
    rangeExtractor: (range: Range) => withLast(defaultRangeExtractor(range), last),
    onChange: (instance) => setAtEnd(instance.isAtEnd()),
  })
  useLayoutEffect(() => list.scrollToEnd(), [list])
  useLayoutEffect(() => {
    if (live?.message || live?.userMessageId) list.scrollToEnd()
  }, [live, list])

  useKeptEnd(scroller, list)

  const items = list.getVirtualItems()
  const older = useOlder(place, hasOlder && (goesOn || isNearBeginning(items[0]?.index, messages.length)))
  useShownMessage(list, branch, siblings, { hasOlder, load: older.load })
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it too
        tabIndex={0}
        role="log"
        aria-label={t('messages.label')}
        aria-live="off"
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        {older.error && (
          <div className="mx-auto max-w-3xl px-4 pt-4">
            <Failure error={older.error} onRetry={older.load} />
          </div>
        )}
        <div ref={list.containerRef} className="relative mx-auto w-full max-w-3xl">
          {items.map(({ key, index }) => {
            const message = messages[index]
            return (
              message && (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  className="absolute top-0 left-0 w-full px-4 pb-6 first:pt-4 sm:px-6"
                >
                  <MessageRow
                    message={message}
                    beside={siblings.get(message.parent_message_id) ?? NONE}
                    live={live && isOf(live, message) ? live : null}
                    isLast={index === last}
                  />
                </div>
              )
            )
          })}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          onClick={() => list.scrollToEnd()}
          className="appear absolute bottom-3 left-1/2 flex h-8 touch:h-10 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-raised px-3 text-sm shadow-md hover:bg-hover"
        >
          <ArrowDown aria-hidden size={15} /> {t('messages.jumpToLatest')}
        </button>
      )}
    </div>
  )
}

/** Keeps the list scrolled to the end when the list becomes smaller, for example because the composer grows. */
function useKeptEnd(scroller: RefObject<HTMLDivElement | null>, list: Virtualizer<HTMLDivElement, Element>) {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      const lost = height - element.clientHeight
      height = element.clientHeight
      const distance = element.scrollHeight - element.scrollTop - element.clientHeight
      if (lost > 0 && distance - lost <= END_PIXELS) list.scrollToEnd()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, list])
}

const NONE: ChatMessage[] = []

const isOf = (live: LiveReply, { id, role }: ChatMessage): boolean =>
  role === 'assistant' && (id === live.messageId || id === `${live.key} reply`)

const withLast = (indexes: number[], last: number): number[] =>
  last < 0 || indexes.includes(last) ? indexes : [...indexes, last]

const isNearBeginning = (first: number | undefined, count: number): boolean =>
  first !== undefined && count > 0 && first < OLDER_FROM

/** Estimates a message's height in pixels. A close estimate reduces scroll jumps when the message is measured. */
function estimate(message: ChatMessage | undefined): number {
  if (!message) return 0
  const lines = message.content.length / CHARACTERS_A_LINE + message.content.split('\n').length
  return message.role === 'user' ? 84 + Math.min(lines, 12) * LINE_PIXELS : 96 + lines * LINE_PIXELS
}

/** Loads older messages, one page at a time, as long as `isWanted` is true. Stops after an error. */
function useOlder(place: ChatPlace, isWanted: boolean) {
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({ mutationFn: () => loadOlder(client, place) })
  const waits = isPending || error !== null
  useEffect(() => {
    if (isWanted && !waits) mutate()
  }, [isWanted, waits, mutate])
  return { error, load: () => mutate() }
}
