import type { KnowledgeBase } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { BookOpen, Plus } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { CreateKnowledgeBase } from './create-knowledge-base.tsx'
import { isUnderWay, POLL_MS, StatusBadge } from './status.tsx'

const t = translator('knowledge')

const PAGE_SIZE = 50

export function KnowledgeList() {
  const { organization, may } = useHere()
  const navigate = useNavigate()
  const { q = '', create = false } = useSearch({ from: '/app/knowledge' })
  const bases = useInfiniteQuery({
    ...readPages('GET /api/kb/list', { org_id: organization.id, ...(q && { q }), limit: PAGE_SIZE }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(({ status }) => isUnderWay(status))) ? POLL_MS : false,
  })
  const setCreating = (is: boolean) =>
    void navigate({
      from: '/knowledge',
      search: (before) => ({ ...before, create: is || undefined }),
      replace: !is,
    })
  const button = may('kb:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('create.title')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      description={t('list.description')}
      actions={(q !== '' || bases.data?.length !== 0) && button}
    >
      <SearchedList
        query={bases}
        q={q}
        label={t('list.search')}
        skeleton={<TableSkeleton columns={5} />}
        empty={
          <Empty icon={BookOpen} title={t('list.emptyTitle')} action={button}>
            {t('list.empty')}
          </Empty>
        }
      >
        {(all) => <KnowledgeTable bases={all} />}
      </SearchedList>
      <CreateKnowledgeBase open={create && may('kb:write')} onClose={() => setCreating(false)} />
    </Page>
  )
}

const KnowledgeTable = ({ bases }: { bases: KnowledgeBase[] }) => (
  <Table
    label={t('title')}
    rows={bases}
    keyOf={({ id }) => id}
    columns={[
      {
        header: t('columns.name'),
        cell: ({ id, name, description }) => (
          <div className="flex min-w-0 items-start gap-3">
            <Avatar id={id} name={name} size="medium" />
            <div className="min-w-0">
              <Link
                to="/knowledge/$kbId/documents"
                params={{ kbId: id }}
                className="font-medium wrap-anywhere text-accent hover:underline"
              >
                {name}
              </Link>
              {description && <p className="line-clamp-2 wrap-anywhere text-muted">{description}</p>}
            </div>
          </div>
        ),
      },
      { header: t('columns.status'), cell: ({ status }) => <StatusBadge status={status} /> },
      {
        header: t('columns.documents'),
        numeric: true,
        cell: ({ document_count }) => formatNumber(document_count),
      },
      {
        header: t('columns.chunks'),
        numeric: true,
        wideOnly: true,
        cell: ({ chunk_count }) => formatNumber(chunk_count),
      },
      {
        header: t('columns.updated'),
        wideOnly: true,
        cell: ({ updated_at }) => <Ago time={updated_at} />,
      },
    ]}
  />
)
