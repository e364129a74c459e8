import type { KnowledgeBaseDocument } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { Ellipsis, RotateCcw, Trash2 } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatBytes, formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { CONTENT, StatusBadge } from './status.tsx'

export const DocumentTable = ({ documents }: { documents: KnowledgeBaseDocument[] }) => (
  <Table
    label="Documents"
    rows={documents}
    keyOf={({ id }) => id}
    columns={[
      { header: 'Name', cell: (document) => <Name document={document} /> },
      { header: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
      {
        header: 'Chunks',
        numeric: true,
        wideOnly: true,
        cell: ({ chunk_count }) => formatNumber(chunk_count),
      },
      { header: 'Size', numeric: true, wideOnly: true, cell: ({ size }) => formatBytes(size) },
      { header: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      { header: 'Actions', hideHeader: true, cell: (document) => <Actions document={document} /> },
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
  const confirm = useConfirm()
  const notify = useNotify()
  const remove = useChange('DELETE /api/kb/delete_document', {
    outdates: CONTENT,
    onDone: () => notify(`Deleted ${name}`),
  })
  const reindex = useChange('POST /api/kb/reindex', { outdates: CONTENT })
  const source = base.sources.find((one) => one.id === source_id)
  const isReadAgain = source?.type === 'web' || source?.type === 's3'
  const retry = () =>
    reindex.mutate(
      { query: { kb_id }, body: isReadAgain ? { source_id } : {} },
      {
        onError: notify,
        onSuccess: () => notify(isReadAgain ? 'Its source is read again' : 'All documents are indexed anew'),
      },
    )
  const askToRemove = async () => {
    const consequence = isReadAgain
      ? `“${name}” is no longer found. Its source brings it back when it is read again, where it still has it.`
      : `“${name}” is no longer found, and does not come back.`
    if (await confirm({ title: 'Delete this document?', consequence, action: 'Delete' }))
      remove.mutate({ query: { kb_id, document_id: id } }, { onError: notify })
  }
  const mayRetry = status === 'failed' && may('kb:write')
  if (!mayRetry && !may('kb:delete')) return null
  return (
    <div className="flex justify-end">
      <Menu
        trigger={
          <IconButton small icon={Ellipsis} label={`Actions for ${name}`} disabled={remove.isPending} />
        }
      >
        {mayRetry && (
          <MenuItem icon={RotateCcw} onSelect={retry}>
            {isReadAgain ? 'Read its source again' : 'Index all anew'}
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
