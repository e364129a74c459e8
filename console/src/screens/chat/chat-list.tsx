import type { Chat } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListChecks, SquarePen } from 'lucide-react'
import { useState } from 'react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { buttonLook, IconButton } from '../../ui/button.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { ChatRow } from './chat-row.tsx'
import { ListFilters } from './list-filters.tsx'
import { MoreOnSight } from './more-on-sight.tsx'
import { SearchHits } from './search-hits.tsx'
import { SelectionBar } from './selection-bar.tsx'

const t = translator('chat')

interface ChatListProps {
  openId: string | null
  onChosen?: () => void
}

/** The list of chats: pinned chats first, then newest first. During a search, shows the search results instead. */
export function ChatList({ openId, onChosen }: ChatListProps) {
  const { may } = useHere()
  const { q } = useSearch({ from: '/app/chats' })
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null)
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-col gap-2 p-3 pb-2">
        <div className="flex items-center gap-1">
          {may('chats:write') && (
            <Link
              to="/chats"
              search={{ q, message: undefined }}
              onClick={onChosen}
              title={t('list.newChatKeys')}
              className={`${buttonLook('secondary')} grow`}
            >
              <SquarePen aria-hidden size={16} /> {t('newChat')}
            </Link>
          )}
          {may('chats:delete') && (
            <IconButton
              icon={ListChecks}
              label={t('list.select')}
              aria-pressed={selected !== null}
              onClick={() => setSelected(selected ? null : new Set())}
            />
          )}
        </div>
        <ListFilters />
      </div>
      {selected && <SelectionBar selected={selected} openId={openId} onDone={() => setSelected(null)} />}
      <nav aria-label={t('list.label')} className="min-h-0 grow overflow-y-auto px-2 pb-3">
        {q === undefined ? (
          <ChatRows openId={openId} onChosen={onChosen} selected={selected} onSelect={setSelected} />
        ) : (
          <SearchHits q={q} onChosen={onChosen} />
        )}
      </nav>
    </div>
  )
}

interface ChatRowsProps extends ChatListProps {
  selected: ReadonlySet<string> | null
  onSelect: (selected: ReadonlySet<string>) => void
}

function ChatRows({ openId, onChosen, selected, onSelect }: ChatRowsProps) {
  const { organization } = useHere()
  const { folder, archived } = useSearch({ from: '/app/chats' })
  const filter = {
    org_id: organization.id,
    folder,
    status: archived ? ('ARCHIVED' as const) : ('ACTIVE' as const),
    limit: 50,
  }
  const pinned = useInfiniteQuery(readPages('GET /api/chat/list', { ...filter, pinned: true }))
  const others = useInfiniteQuery(readPages('GET /api/chat/list', { ...filter, pinned: false }))
  // The two lists are refetched separately, so a chat that was just pinned may briefly be in both.
  const isPinned = ({ id }: Chat) => pinned.data?.some((one) => one.id === id) ?? false
  const rowOf = (chat: Chat) => (
    <ChatRow
      key={chat.id}
      chat={chat}
      isOpen={chat.id === openId}
      onChosen={onChosen}
      isSelected={selected?.has(chat.id) ?? null}
      onSelect={(isSelected) => selected && onSelect(withOrWithout(selected, chat.id, isSelected))}
    />
  )
  return (
    <Loaded query={others} skeleton={<ListSkeleton />}>
      {(chats) => (
        <>
          {pinned.data && pinned.data.length > 0 && (
            <>
              <ListHeading>{t('list.pinned')}</ListHeading>
              <ul>{pinned.data.map(rowOf)}</ul>
              <MoreOnSight query={pinned} />
              <ListHeading>{archived ? t('list.archived') : t('list.chats')}</ListHeading>
            </>
          )}
          <ul>{chats.filter((chat) => !isPinned(chat)).map(rowOf)}</ul>
          {chats.length === 0 && !pinned.data?.length && <NoChats folder={folder} archived={archived} />}
          <MoreOnSight query={others} />
        </>
      )}
    </Loaded>
  )
}

const ListHeading = ({ children }: { children: string }) => (
  <h2 className="px-2 pt-2 pb-1 text-xs font-medium text-muted">{children}</h2>
)

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
