import type { Chat } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo } from 'react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useHidden } from '../../ui/deletions.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { ChatRow } from './chat-row.tsx'
import { dateGroupOf } from './date-group.ts'
import { MoreOnSight } from './more-on-sight.tsx'

const t = translator('chat')

const PAGE_SIZE = 100
const ROW_PIXELS = 36

interface ChatRowsProps {
  /** The scrolling element around the rows. */
  scroller: HTMLElement | null
  openId: string | null
  onChosen: (() => void) | undefined
  /** The ids of the selected chats. Null if the list is not in selection mode. */
  selected: ReadonlySet<string> | null
  onSelect: (selected: ReadonlySet<string>) => void
}

/** The chats of the list's filter: pinned chats first, then by date, newest first. */
export function ChatRows(props: ChatRowsProps) {
  const { organization } = useHere()
  const { folder, archived } = useSearch({ from: '/app/chats' })
  const filter = {
    org_id: organization.id,
    folder,
    status: archived ? ('ARCHIVED' as const) : ('ACTIVE' as const),
    limit: PAGE_SIZE,
  }
  const pinned = useInfiniteQuery(readPages('GET /api/chat/list', { ...filter, pinned: true }))
  const others = useInfiniteQuery(readPages('GET /api/chat/list', { ...filter, pinned: false }))
  const hidden = useHidden()
  const lines = useMemo(
    () => linesOf(pinned.data ?? [], others.data ?? [], hidden),
    [pinned.data, others.data, hidden],
  )
  return (
    <Loaded query={others} skeleton={<ListSkeleton />}>
      {() => (
        <>
          {lines.length === 0 && <NoChats folder={folder} archived={archived} />}
          <Lines {...props} lines={lines} />
          {pinned.hasNextPage ? <MoreOnSight query={pinned} /> : <MoreOnSight query={others} />}
        </>
      )}
    </Loaded>
  )
}

/** A line of the list: the heading of a group, or a chat. */
type Line = { heading: string } | { chat: Chat }

function linesOf(pinned: readonly Chat[], others: readonly Chat[], hidden: ReadonlySet<string>): Line[] {
  const lines: Line[] = []
  let group = ''
  const add = (heading: string, chat: Chat) => {
    if (hidden.has(chat.id)) return
    if (heading !== group) lines.push({ heading })
    group = heading
    lines.push({ chat })
  }
  for (const chat of pinned) add(t('list.pinned'), chat)
  // The two lists are refetched separately, so a chat that was just pinned may briefly be in both.
  const pinnedIds = new Set(pinned.map(({ id }) => id))
  for (const chat of others) if (!pinnedIds.has(chat.id)) add(headingOf(chat), chat)
  return lines
}

/** Returns the heading of a chat's group. The list is ordered by creation. */
function headingOf({ created_at }: Chat): string {
  const group = dateGroupOf(created_at)
  return typeof group === 'string' ? t(`list.${group}`) : group.month
}

/** Renders the visible lines only, so that thousands of chats stay fast. */
function Lines({
  lines,
  scroller,
  openId,
  onChosen,
  selected,
  onSelect,
}: ChatRowsProps & { lines: readonly Line[] }) {
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PIXELS,
    getItemKey: (index) => keyOf(lines[index]),
    overscan: 20,
  })
  return (
    <ul className="relative" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map(({ key, index, start }) => {
        const line = lines[index]
        return (
          line && (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {'heading' in line ? (
                <h2 className="px-2 pt-3 pb-1 text-xs font-medium text-muted">{line.heading}</h2>
              ) : (
                <ChatRow
                  chat={line.chat}
                  isOpen={line.chat.id === openId}
                  onChosen={onChosen}
                  isSelected={selected?.has(line.chat.id) ?? null}
                  onSelect={(isIn) => selected && onSelect(withOrWithout(selected, line.chat.id, isIn))}
                />
              )}
            </li>
          )
        )
      })}
    </ul>
  )
}

const keyOf = (line: Line | undefined): string =>
  line && 'chat' in line ? line.chat.id : (line?.heading ?? '')

function NoChats({ folder, archived }: { folder: string | undefined; archived: true | undefined }) {
  const navigate = useNavigate()
  if (folder === undefined && !archived)
    return <p className="px-2 py-6 text-center text-sm text-muted">{t('list.empty')}</p>
  return (
    <p className="px-2 py-6 text-center text-sm text-muted">
      {archived ? t('list.emptyArchive') : t('list.emptyFolder')}{' '}
      <button
        type="button"
        className="font-medium text-accent underline"
        onClick={() =>
          void navigate({ to: '.', search: (now) => ({ ...now, folder: undefined, archived: undefined }) })
        }
      >
        {t('list.showAll')}
      </button>
    </p>
  )
}

const ListSkeleton = () => (
  <div role="status" aria-label={t('loading')} className="flex flex-col gap-1.5 pt-1">
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <Skeleton key={key} className="h-8" />
    ))}
  </div>
)

function withOrWithout(selected: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const all = new Set(selected)
  if (isIn) all.add(id)
  else all.delete(id)
  return all
}
