import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { RowsSkeleton } from '../../ui/table.tsx'
import { AuditExport } from './audit-export.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { AuditItem } from './audit-item.tsx'
import { NotAllowed } from './not-allowed.tsx'
import type { ShowAudit } from './search-params.ts'

const t = translator('audit')

export function Audit() {
  const { may } = useHere()
  return (
    <Page title={t('title')} description={t('description')}>
      {may('organization:admin') ? <Entries /> : <NotAllowed permission="organization:admin" />}
    </Page>
  )
}

function Entries() {
  const { organization } = useHere()
  const search = useSearch({ from: '/app/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const show: ShowAudit = (change) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  const { actor_id, action, record_type, record_id, from, to } = search
  const filters = {
    org_id: organization.id,
    actor_id,
    action,
    record_type,
    record_id,
    from: from && startOf(from, 0),
    to: to && startOf(to, 1),
  }
  const entries = useInfiniteQuery(readPages('GET /api/audit/list', { ...filters, limit: 50 }))
  const recordName = entries.data?.find((entry) => entry.record_id === record_id)?.record_name
  const isFiltered = [actor_id, action, record_type, record_id, from, to].some(Boolean)
  return (
    <>
      <AuditFilters search={search} show={show} isFiltered={isFiltered} recordName={recordName}>
        <AuditExport filters={filters} />
      </AuditFilters>
      <PagedList
        query={entries}
        skeleton={<RowsSkeleton rows={10} short />}
        empty={
          <Empty icon={ScrollText} title={t('empty')}>
            {t(isFiltered ? 'noMatches' : 'emptyHint')}
          </Empty>
        }
      >
        {(list) => (
          <ul
            aria-label={t('entries')}
            className="divide-y divide-line rounded-2xl border border-line bg-raised"
          >
            {list.map((entry) => (
              <AuditItem key={entry.id} entry={entry} show={show} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  )
}

/**
 * Returns the start, in the user's time zone, of the day that is `later` days after `day`. Returns undefined if `day`
 * is not a valid date.
 */
function startOf(day: string, later: number): string | undefined {
  const time = new Date(`${day}T00:00`)
  time.setDate(time.getDate() + later)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
