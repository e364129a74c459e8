import type { KnowledgeBaseDocument } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { Ellipsis, RotateCcw, Trash2 } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useDelete } from '../../ui/deletions.ts'
import { formatBytes, formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { CONTENT, StatusBadge } from './status.tsx'

const t = translator('knowledge')

export const DocumentTable = ({ documents }: { documents: KnowledgeBaseDocument[] }) => (
  <Table
    label={t('columns.documents')}
    rows={documents}
    keyOf={({ id }) => id}
    columns={[
      { header: t('columns.name'), cell: (document) => <Name document={document} /> },
      { header: t('columns.status'), cell: ({ status }) => <StatusBadge status={status} /> },
      {
        header: t('columns.chunks'),
        numeric: true,
        wideOnly: true,
        cell: ({ chunk_count }) => formatNumber(chunk_count),
      },
      { header: t('columns.size'), numeric: true, wideOnly: true, cell: ({ size }) => formatBytes(size) },
      { header: t('columns.updated'), wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      { header: t('columns.actions'), hideHeader: true, cell: (document) => <Actions document={document} /> },
    ]}
  />
)

const Name = ({ document: { id, kb_id, name, error } }: { document: KnowledgeBaseDocument }) => (
  <div className="min-w-0">
    <Link
      to="/knowledge/$kbId/documents/$documentId"
      params={{ kbId: kb_id, documentId: id }}
      className="font-medium wrap-anywhere text-accent hover:underline"
    >
      {name}
    </Link>
    {error && <p className="text-danger">{error}</p>}
  </div>
)

function Actions({ document: { id, kb_id, source_id, name, status } }: { document: KnowledgeBaseDocument }) {
  const { may } = useHere()
  const { base } = useKnowledgeBase()
  const notify = useNotify()
  const remove = useDelete('DELETE /api/kb/delete_document', CONTENT)
  const reindex = useChange('POST /api/kb/reindex', { outdates: CONTENT })
  const source = base.sources.find((one) => one.id === source_id)
  const isRefreshable = source?.type === 'web' || source?.type === 's3'
  const retry = () =>
    reindex.mutate(
      { query: { kb_id }, body: isRefreshable ? { source_id } : {} },
      {
        onError: notify,
        onSuccess: () => notify(isRefreshable ? t('source.refreshing') : t('settings.reindexing')),
      },
    )
  const mayRetry = status === 'failed' && may('kb:write')
  if (!mayRetry && !may('kb:delete')) return null
  return (
    <div className="flex justify-end">
      <Menu trigger={<IconButton small icon={Ellipsis} label={t('actionsFor', { name })} />}>
        {mayRetry && (
          <MenuItem icon={RotateCcw} onSelect={retry}>
            {isRefreshable ? t('source.refresh') : t('documents.reindexAll')}
          </MenuItem>
        )}
        {may('kb:delete') && (
          <MenuItem
            icon={Trash2}
            danger
            onSelect={() =>
              remove(
                [id],
                t(isRefreshable ? 'documents.deletedUntilRefresh' : 'documents.deleted', { name }),
                {
                  query: { kb_id, document_id: id },
                },
              )
            }
          >
            {t('delete')}
          </MenuItem>
        )}
      </Menu>
    </div>
  )
}
