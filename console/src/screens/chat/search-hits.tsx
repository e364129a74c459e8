import type { ChatSearchHit } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { readPages } from '../../api/queries.ts'
import { plainPieces } from '../../markdown/plain-pieces.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useHidden } from '../../ui/deletions.ts'
import { Loaded, SkeletonList } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { chatTitle } from './chat-title.ts'
import { MoreOnSight } from './more-on-sight.tsx'

const t = translator('chat')

export function SearchHits({ q, onChosen }: { q: string; onChosen: (() => void) | undefined }) {
  const { organization } = useHere()
  const found = useInfiniteQuery({
    ...readPages('GET /api/chat/search', { org_id: organization.id, q, limit: 20 }),
    placeholderData: (before) => before,
  })
  const hidden = useHidden()
  return (
    <Loaded query={found} skeleton={<SkeletonList lines={4} />}>
      {(hits) =>
        hits.length === 0 ? (
          <p className="flex flex-col items-center gap-2 px-2 py-8 text-center text-sm text-muted">
            <SearchX aria-hidden size={22} />
            {t('hits.none')}
          </p>
        ) : (
          <>
            <p role="status" className="sr-only">
              {t('hits.count', { count: hits.length })}
            </p>
            <ul className="flex flex-col gap-0.5">
              {hits
                .filter(({ chat_id }) => !hidden.has(chat_id))
                .map((hit) => (
                  <li key={`${hit.chat_id} ${hit.message_id}`}>
                    <Hit hit={hit} onChosen={onChosen} />
                  </li>
                ))}
            </ul>
            <MoreOnSight query={found} />
          </>
        )
      }
    </Loaded>
  )
}

const Hit = ({ hit, onChosen }: { hit: ChatSearchHit; onChosen: (() => void) | undefined }) => (
  <Link
    to="/chats/$chatId"
    params={{ chatId: hit.chat_id }}
    search={{ message: hit.message_id ?? undefined }}
    onClick={onChosen}
    className="flex flex-col gap-0.5 rounded-lg px-2 py-1.5 text-sm -outline-offset-2 hover:bg-hover"
  >
    <span className="flex items-baseline gap-2">
      <span className="min-w-0 grow truncate font-medium">{chatTitle(hit)}</span>
      <span className="shrink-0 text-xs text-muted">
        <Ago time={hit.created_at} />
      </span>
    </span>
    {hit.message_id !== null && (
      <span className="line-clamp-3 text-xs text-muted wrap-anywhere">
        {hit.role === 'user' ? (
          t.rich('hits.yours', { snippet: () => <Snippet hit={hit} /> })
        ) : (
          <Snippet hit={hit} />
        )}
      </span>
    )}
  </Link>
)

const Snippet = ({ hit: { snippet, highlights } }: { hit: ChatSearchHit }): ReactNode =>
  plainPieces(snippet, highlights).map(({ text, isHit }, place) =>
    isHit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces keep their order
      <mark key={place} className="rounded-sm bg-accent-soft font-medium text-ink">
        {text}
      </mark>
    ) : (
      text
    ),
  )
