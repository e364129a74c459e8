import type { KnowledgeBase } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { knownName } from '../../api/known-name.ts'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Back } from '../../ui/back.tsx'
import { Page } from '../../ui/page.tsx'
import { PendingPage } from '../../ui/pending-page.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { IngestionProgress } from './ingestion-progress.tsx'
import { KnowledgeBaseContext } from './knowledge-base-context.tsx'
import { isUnderWay, POLL_MS, StatusBadge } from './status.tsx'
import { useUploads } from './use-uploads.ts'

const t = translator('knowledge')

const TABS = ['documents', 'sources', 'search', 'evaluations', 'settings'] as const

type Tab = (typeof TABS)[number]

export function KnowledgeBaseScreen() {
  const { kbId } = useParams({ from: '/app/knowledge/$kbId' })
  const base = useQuery({
    ...read('GET /api/kb/get', { kb_id: kbId }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.status) ? POLL_MS : false),
  })
  if (base.data) return <Opened key={kbId} base={base.data} />
  return (
    <PendingPage
      query={base}
      name={knownName('GET /api/kb/list', kbId)}
      kind={t('untitled')}
      above={<ToKnowledge />}
      skeleton={<BaseSkeleton />}
    />
  )
}

const BaseSkeleton = () => (
  <>
    <Skeleton className="h-9 max-w-96" />
    <TableSkeleton columns={5} />
  </>
)

function Opened({ base }: { base: KnowledgeBase }) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const tab = TABS.find((name) => pathname.split('/')[3] === name) ?? 'documents'
  const uploads = useUploads(base.id)
  const tabs = TABS.map((name) => [name, t(`tabs.${name}`)] as const)
  const open = (to: Tab) => void navigate({ to: `/knowledge/$kbId/${to}`, params: { kbId: base.id } })
  return (
    <Page
      title={base.name}
      description={base.description || undefined}
      above={<ToKnowledge />}
      actions={<StatusBadge status={base.status} />}
    >
      <Tabs label={t('tabs.label')} tabs={tabs} value={tab} onChange={open} />
      <IngestionProgress kbId={base.id} status={base.status} />
      {tab !== 'sources' && <FailedSources base={base} />}
      <KnowledgeBaseContext value={{ base, uploads }}>
        <Outlet />
      </KnowledgeBaseContext>
    </Page>
  )
}

/** A notice about failed sources. Shown on every tab except the list of sources, which shows each source's error. */
function FailedSources({ base }: { base: KnowledgeBase }) {
  const failed = base.sources.filter(({ status }) => status === 'failed').length
  if (failed === 0) return null
  return (
    <p className="rounded-xl bg-danger-soft px-4 py-2.5 text-sm text-danger">
      {t('failedSources.text', { count: failed })}{' '}
      <Link to="/knowledge/$kbId/sources" params={{ kbId: base.id }} className="font-medium underline">
        {t('failedSources.link')}
      </Link>
    </p>
  )
}

const ToKnowledge = () => <Back to="/knowledge">{t('title')}</Back>
