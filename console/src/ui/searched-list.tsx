import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { SearchField } from './search-field.tsx'
import { Empty, Loaded, More } from './states.tsx'

const t = translator('ui')

/** The search field appears if there are at least this many rows. */
const SEARCHED_FROM = 8

interface SearchedListProps<Row> {
  query: Pick<
    UseInfiniteQueryResult<Row[]>,
    | 'data'
    | 'error'
    | 'fetchNextPage'
    | 'hasNextPage'
    | 'isFetchingNextPage'
    | 'isPlaceholderData'
    | 'refetch'
  >
  /** The search in the URL's `q`, which the server applies to all rows. Typing replaces it. */
  q: string
  /** The accessible name and the placeholder of the search field. */
  label: string
  /** Shown if there are no rows at all. */
  empty: ReactNode
  /** Controls next to the search field. */
  filters?: ReactNode
  /** The shape of the rows, shown while they load. */
  skeleton: ReactNode
  children: (rows: Row[]) => ReactNode
}

/** A table that is loaded page by page, with a search field if it is long. */
export function SearchedList<Row>({
  query,
  q,
  label,
  empty,
  filters,
  skeleton,
  children,
}: SearchedListProps<Row>) {
  const navigate = useNavigate()
  const { data, isPlaceholderData } = query
  if (data?.length === 0 && q === '' && !isPlaceholderData) return empty
  const search = (text: string | undefined) =>
    void navigate({ to: '.', search: (before) => ({ ...before, q: text }), replace: true })
  const isLong = data !== undefined && (filters !== undefined || data.length >= SEARCHED_FROM)
  return (
    <>
      {/* Stays while another search loads, so that it keeps the focus. */}
      {(isLong || isPlaceholderData || q !== '') && (
        <div className="flex flex-wrap items-end gap-3">
          <SearchField
            label={label}
            placeholder={label}
            value={q}
            onChange={(text) => search(text || undefined)}
          />
          {filters}
        </div>
      )}
      <Loaded query={query} skeleton={skeleton}>
        {(rows) => (
          <div className={classNames('flex flex-col gap-3', isPlaceholderData && 'opacity-60')}>
            {rows.length > 0
              ? children(rows)
              : q !== '' && <NoMatches q={q} onClear={() => search(undefined)} />}
            <More query={query} />
          </div>
        )}
      </Loaded>
    </>
  )
}

const NoMatches = ({ q, onClear }: { q: string; onClear: () => void }) => (
  <div role="status">
    <Empty
      icon={SearchX}
      title={t('noMatches')}
      action={<Button onClick={onClear}>{t('clearSearch')}</Button>}
    >
      {t('noMatchesFor', { query: q })}
    </Empty>
  </div>
)
