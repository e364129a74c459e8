import { Link, useSearch } from '@tanstack/react-router'
import { ListChecks, SquarePen } from 'lucide-react'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { buttonLook, IconButton } from '../../ui/button.tsx'
import { ChatRows } from './chat-rows.tsx'
import { ListFilters } from './list-filters.tsx'
import { SearchHits } from './search-hits.tsx'
import { SelectionBar } from './selection-bar.tsx'

const t = translator('chat')

interface ChatListProps {
  openId: string | null
  onChosen?: () => void
}

/** The list of chats and its filters. During a search, shows the search results instead. */
export function ChatList({ openId, onChosen }: ChatListProps) {
  const { may } = useHere()
  const { q } = useSearch({ from: '/app/chats' })
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null)
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
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
      <nav ref={setScroller} aria-label={t('list.label')} className="min-h-0 grow overflow-y-auto px-2 pb-3">
        {q === undefined ? (
          <ChatRows
            scroller={scroller}
            openId={openId}
            onChosen={onChosen}
            selected={selected}
            onSelect={setSelected}
          />
        ) : (
          <SearchHits q={q} onChosen={onChosen} />
        )}
      </nav>
    </div>
  )
}
