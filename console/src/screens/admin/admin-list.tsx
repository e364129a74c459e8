import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import type { ShowAdmin } from './search-params.ts'

const t = translator('admin')

export interface AdminListProps {
  q: string
  show: ShowAdmin
}

interface Props<Row> extends AdminListProps {
  label: string
  /** The placeholder of the search field. */
  hint: string
  /** Says what the search does not cover. */
  limit: string
  icon: LucideIcon
  query: UseInfiniteQueryResult<Row[]>
  columns: readonly Column<Row>[]
}

/** A searchable table of all organizations or people. */
export function AdminList<Row extends { id: string }>({
  label,
  hint,
  limit,
  icon,
  q,
  show,
  query,
  columns,
}: Props<Row>) {
  return (
    <>
      <SearchField
        label={t('search')}
        placeholder={hint}
        value={q}
        onChange={(text) => show({ q: text || undefined })}
      />
      <PagedList
        query={query}
        skeleton={<TableSkeleton columns={columns.length} />}
        empty={
          <Empty icon={icon} title={t('noMatches')}>
            {limit}
          </Empty>
        }
      >
        {(rows) => <Table label={label} rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </PagedList>
    </>
  )
}
