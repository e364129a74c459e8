import type { KnowledgeBaseSource } from '@parley/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  Database,
  Ellipsis,
  FileText,
  FileUp,
  Globe,
  type LucideIcon,
  Plus,
  RotateCcw,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { OutgoingFiles, PickFiles } from './add-files.tsx'
import { AddSource } from './add-source.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { Pages } from './pages.tsx'
import { CONTENT, StatusBadge } from './status.tsx'

const t = translator('knowledge')

export function Sources() {
  const { may } = useHere()
  const { base, uploads } = useKnowledgeBase()
  const [isAdding, setAdding] = useState(false)
  const add = may('kb:write') && (
    <div className="flex flex-wrap justify-[inherit] gap-2 max-sm:w-full max-sm:*:grow">
      <PickFiles uploads={uploads} kind="secondary" />
      <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
        {t('add.title')}
      </Button>
    </div>
  )
  return (
    <div className="flex flex-col gap-4">
      {base.sources.length > 0 && add && <div className="flex justify-end">{add}</div>}
      <OutgoingFiles uploads={uploads} />
      {base.sources.length === 0 ? (
        <Empty icon={Globe} title={t('source.emptyTitle')} action={add}>
          {t('source.empty')}
        </Empty>
      ) : (
        <PagedSources sources={base.sources} />
      )}
      <AddSource open={isAdding} onClose={() => setAdding(false)} />
    </div>
  )
}

const PAGE_SIZE = 25

/** A knowledge base has at most 100 sources. Its record contains all of them. */
function PagedSources({ sources }: { sources: KnowledgeBaseSource[] }) {
  const { page = 1 } = useSearch({ from: '/app/knowledge/$kbId/sources' })
  const navigate = useNavigate()
  // The last source of the last page may have been deleted.
  const shown = Math.min(page, Math.ceil(sources.length / PAGE_SIZE))
  return (
    <>
      <SourceTable sources={sources.slice((shown - 1) * PAGE_SIZE, shown * PAGE_SIZE)} />
      <Pages
        of="sources"
        page={shown}
        limit={PAGE_SIZE}
        total={sources.length}
        onChange={(to) =>
          void navigate({ to: '.', search: (before) => ({ ...before, page: to === 1 ? undefined : to }) })
        }
      />
    </>
  )
}

const SourceTable = ({ sources }: { sources: KnowledgeBaseSource[] }) => (
  <Table
    label={t('source.label')}
    rows={sources}
    keyOf={({ id }) => id}
    columns={[
      { header: t('columns.source'), cell: (source) => <Name source={source} /> },
      {
        header: t('columns.status'),
        wideOnly: true,
        cell: ({ status }) => <StatusBadge status={status} of="source" />,
      },
      {
        header: t('columns.documents'),
        numeric: true,
        wideOnly: true,
        cell: ({ document_count }) => formatNumber(document_count),
      },
      { header: t('columns.updated'), wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      { header: t('columns.actions'), hideHeader: true, cell: (source) => <Actions source={source} /> },
    ]}
  />
)

const ICONS: Record<KnowledgeBaseSource['type'], LucideIcon> = {
  web: Globe,
  s3: Database,
  file: FileUp,
  text: FileText,
}

function Name({ source }: { source: KnowledgeBaseSource }) {
  const Icon = ICONS[source.type]
  return (
    <div className="flex min-w-0 gap-2.5">
      <Icon
        aria-label={t(`source.type.${source.type}`)}
        role="img"
        size={17}
        className="mt-0.5 shrink-0 text-muted"
      />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
          {nameOf(source)}
          <span className="sm:hidden">
            <StatusBadge status={source.status} of="source" />
          </span>
        </p>
        <p className="text-muted">{detailsOf(source)}</p>
        {source.error && <p className="text-danger">{source.error}</p>}
      </div>
    </div>
  )
}

const configOf = ({ config }: KnowledgeBaseSource, name: string): string | undefined => {
  const value = (config as Record<string, unknown>)[name]
  return value === undefined ? undefined : String(value)
}

function nameOf(source: KnowledgeBaseSource): string {
  if (source.type === 'web') return configOf(source, 'url') ?? t('source.type.web')
  if (source.type === 's3')
    return [configOf(source, 'bucket'), configOf(source, 'prefix')].filter(Boolean).join('/')
  if (source.type === 'text') return configOf(source, 'name') ?? t('source.type.text')
  return t('source.files', { count: source.document_count })
}

function detailsOf(source: KnowledgeBaseSource): string {
  const hours = configOf(source, 'refresh_interval_hours')
  const parts = [
    t(`source.type.${source.type}`),
    source.type === 'web' &&
      t('source.limits', {
        pages: Number(configOf(source, 'max_pages') ?? 1),
        depth: Number(configOf(source, 'max_depth') ?? 0),
      }),
    source.type === 's3' && configOf(source, 'endpoint'),
    hours && t('source.refreshInterval', { hours: Number(hours) }),
    source.skipped > 0 && t('source.skipped', { count: source.skipped }),
  ]
  return parts.filter(Boolean).join(' · ')
}

function Actions({ source }: { source: KnowledgeBaseSource }) {
  const { may } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const query = { kb_id: source.kb_id, source_id: source.id }
  const remove = useChange('DELETE /api/kb/delete_source', {
    outdates: CONTENT,
    onDone: () => notify(t('source.deleted')),
  })
  const reindex = useChange('POST /api/kb/reindex', {
    outdates: CONTENT,
    onDone: () => notify(t('source.refreshing')),
  })
  const canRefresh = (source.type === 'web' || source.type === 's3') && may('kb:write')
  const askToRemove = async () => {
    const title = t('source.deleteTitle', { name: nameOf(source) })
    const consequence = t('source.deleteConsequence', { count: source.document_count })
    if (await confirm({ title, consequence, action: t('delete') }))
      remove.mutate({ query }, { onError: notify })
  }
  if (!canRefresh && !may('kb:delete')) return null
  return (
    <div className="flex justify-end">
      <Menu
        trigger={
          <IconButton
            small
            icon={Ellipsis}
            label={t('actionsFor', { name: nameOf(source) })}
            disabled={remove.isPending}
          />
        }
      >
        {canRefresh && (
          <MenuItem
            icon={RotateCcw}
            onSelect={() =>
              reindex.mutate(
                { query: { kb_id: source.kb_id }, body: { source_id: source.id } },
                { onError: notify },
              )
            }
          >
            {t('source.refresh')}
          </MenuItem>
        )}
        {may('kb:delete') && (
          <MenuItem icon={Trash2} danger onSelect={() => void askToRemove()}>
            {t('delete')}
          </MenuItem>
        )}
      </Menu>
    </div>
  )
}
