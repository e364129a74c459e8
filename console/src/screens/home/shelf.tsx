import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { translator } from '../../messages/index.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'

const t = translator('home')

interface Line {
  id: string
  to: string
  name: string
  note?: ReactNode
  /** Replaces the icon of the shelf. */
  mark?: ReactNode
}

interface ShelfProps<Page> {
  title: string
  /** The accessible name of the link that shows all items. */
  all: string
  icon: LucideIcon
  to: string
  query: UseQueryResult<Page>
  lines: (page: Page) => Line[]
  /** Shown if there are no items. If omitted, a shelf without items is hidden. */
  empty?: ReactNode
}

/** A list of the newest items of one type, with a link to all items. */
export function Shelf<Page>({ title, all, icon: Icon, to, query, lines, empty }: ShelfProps<Page>) {
  if (empty === undefined && query.data && lines(query.data).length === 0) return null
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-1 rounded-2xl border border-line bg-raised p-2"
    >
      <header className="flex items-center justify-between gap-3 px-3 pt-2 pb-1">
        <h2 className="font-semibold">{title}</h2>
        <Link to={to} className="reach text-sm text-muted hover:text-ink hover:underline" aria-label={all}>
          {t('viewAll')}
        </Link>
      </header>
      <Loaded query={query} skeleton={<ShelfSkeleton />}>
        {(page) => {
          const shown = lines(page)
          if (shown.length === 0) return <p className="px-3 pb-3 text-sm text-muted">{empty}</p>
          return (
            <ul>
              {shown.map((line) => (
                <li key={line.id}>
                  <Link
                    to={line.to}
                    className="flex items-center gap-2.5 rounded-lg px-3 py-2 text-sm hover:bg-hover touch:min-h-10"
                  >
                    {line.mark ?? <Icon aria-hidden size={16} className="shrink-0 text-muted" />}
                    <span title={line.name} className="min-w-0 grow truncate">
                      {line.name}
                    </span>
                    {line.note && <span className="shrink-0 text-xs text-muted">{line.note}</span>}
                  </Link>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </section>
  )
}

const ShelfSkeleton = () => (
  <div role="status" aria-label={t('loading')} className="flex flex-col gap-2 p-3">
    <Skeleton className="h-6" />
    <Skeleton className="h-6" />
    <Skeleton className="h-6" />
  </div>
)
