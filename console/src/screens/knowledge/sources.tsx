import type { KnowledgeBaseSource } from '@parley/client/schemas'
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
import { CONTENT, StatusBadge } from './status.tsx'

/** Where the documents come from. */
export function Sources() {
  const { may } = useHere()
  const { base, uploads } = useKnowledgeBase()
  const [isAdding, setAdding] = useState(false)
  const add = may('kb:write') && (
    <div className="flex flex-wrap justify-center gap-2">
      <PickFiles uploads={uploads} kind="secondary" />
      <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
        Add a source
      </Button>
    </div>
  )
  return (
    <div className="flex flex-col gap-4">
      {base.sources.length > 0 && add && <div className="flex justify-end">{add}</div>}
      <OutgoingFiles uploads={uploads} />
      {base.sources.length === 0 ? (
        <Empty icon={Globe} title="No sources yet" action={add}>
          A source is a website, a bucket, a few files or a text. Its documents come and go with it.
        </Empty>
      ) : (
        <SourceTable sources={base.sources} />
      )}
      <AddSource open={isAdding} onClose={() => setAdding(false)} />
    </div>
  )
}

const SourceTable = ({ sources }: { sources: KnowledgeBaseSource[] }) => (
  <Table
    label="Sources"
    rows={sources}
    keyOf={({ id }) => id}
    columns={[
      { header: 'Source', cell: (source) => <Name source={source} /> },
      { header: 'State', wideOnly: true, cell: ({ status }) => <StatusBadge status={status} of="source" /> },
      {
        header: 'Documents',
        numeric: true,
        wideOnly: true,
        cell: ({ document_count }) => formatNumber(document_count),
      },
      { header: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      { header: 'Actions', hideHeader: true, cell: (source) => <Actions source={source} /> },
    ]}
  />
)

const ICONS: Record<KnowledgeBaseSource['type'], [LucideIcon, string]> = {
  web: [Globe, 'Website'],
  s3: [Database, 'Bucket'],
  file: [FileUp, 'Files'],
  text: [FileText, 'Text'],
}

function Name({ source }: { source: KnowledgeBaseSource }) {
  const [Icon, kind] = ICONS[source.type]
  return (
    <div className="flex min-w-0 gap-2.5">
      <Icon aria-label={kind} role="img" size={17} className="mt-0.5 shrink-0 text-muted" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 font-medium break-all">
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

const wordOf = ({ config }: KnowledgeBaseSource, name: string): string | undefined => {
  const value = (config as Record<string, unknown>)[name]
  return value === undefined ? undefined : String(value)
}

function nameOf(source: KnowledgeBaseSource): string {
  if (source.type === 'web') return wordOf(source, 'url') ?? 'Website'
  if (source.type === 's3')
    return [wordOf(source, 'bucket'), wordOf(source, 'prefix')].filter(Boolean).join('/')
  if (source.type === 'text') return wordOf(source, 'name') ?? 'Text'
  return source.document_count === 1 ? 'A file' : `${formatNumber(source.document_count)} files`
}

function detailsOf(source: KnowledgeBaseSource): string {
  const [, kind] = ICONS[source.type]
  const hours = wordOf(source, 'refresh_interval_hours')
  const parts = [
    kind,
    source.type === 'web' &&
      `at most ${wordOf(source, 'max_pages') ?? 1} pages, ${wordOf(source, 'max_depth') ?? 0} links deep`,
    source.type === 's3' && wordOf(source, 'endpoint'),
    hours && `read every ${hours} h`,
    source.skipped > 0 && `${formatNumber(source.skipped)} without text left out`,
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
    onDone: () => notify('Source deleted'),
  })
  const reindex = useChange('POST /api/kb/reindex', {
    outdates: CONTENT,
    onDone: () => notify('The source is read again'),
  })
  const isReadAgain = (source.type === 'web' || source.type === 's3') && may('kb:write')
  const askToRemove = async () => {
    const count = formatNumber(source.document_count)
    const consequence = `“${nameOf(source)}” goes with its ${count} ${source.document_count === 1 ? 'document' : 'documents'}. That does not come back.`
    if (await confirm({ title: 'Delete this source?', consequence, action: 'Delete' }))
      remove.mutate({ query }, { onError: notify })
  }
  if (!isReadAgain && !may('kb:delete')) return null
  return (
    <div className="flex justify-end">
      <Menu
        trigger={
          <IconButton
            small
            icon={Ellipsis}
            label={`Actions for ${nameOf(source)}`}
            disabled={remove.isPending}
          />
        }
      >
        {isReadAgain && (
          <MenuItem
            icon={RotateCcw}
            onSelect={() =>
              reindex.mutate(
                { query: { kb_id: source.kb_id }, body: { source_id: source.id } },
                { onError: notify },
              )
            }
          >
            Read again now
          </MenuItem>
        )}
        {may('kb:delete') && (
          <MenuItem icon={Trash2} danger onSelect={() => void askToRemove()}>
            Delete
          </MenuItem>
        )}
      </Menu>
    </div>
  )
}
