import type { DocumentWithChunks } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { knownName } from '../../api/known-name.ts'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Back } from '../../ui/back.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { PendingPage } from '../../ui/pending-page.tsx'
import { Failure, SkeletonList } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { ChunkCard } from './chunk-card.tsx'
import { Pages } from './pages.tsx'
import { isUnderWay, POLL_MS, StatusBadge } from './status.tsx'

const t = translator('knowledge')

const PAGE_SIZE = 20

/**
 * A document's chunks in order. If the URL has `?chunk=`, opens the page with that chunk and highlights it. Citations
 * link to chunks this way.
 */
export function DocumentScreen() {
  const { kbId, documentId } = useParams({ from: '/app/knowledge/$kbId/documents/$documentId' })
  const { chunk, page } = useSearch({ from: '/app/knowledge/$kbId/documents/$documentId' })
  const navigate = useNavigate()
  const base = useQuery(read('GET /api/kb/get', { kb_id: kbId }))
  const document = useQuery({
    ...read('GET /api/kb/get_document', {
      kb_id: kbId,
      document_id: documentId,
      page,
      chunk_id: chunk,
      limit: PAGE_SIZE,
    }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.status) ? POLL_MS : false),
  })
  const turn = (to: number) =>
    void navigate({ to: '.', search: (before) => ({ ...before, chunk: undefined, page: to }) })
  const toBase = (
    <Back to="/knowledge/$kbId/documents" params={{ kbId }}>
      {base.data?.name ?? knownName('GET /api/kb/list', kbId) ?? t('untitled')}
    </Back>
  )
  const found = document.data
  if (found === undefined)
    return (
      <PendingPage
        query={document}
        name={knownName('GET /api/kb/list_documents', documentId)}
        kind={t('document.title')}
        above={toBase}
        skeleton={<SkeletonList />}
      />
    )
  return (
    <Page title={found.name} above={toBase} actions={<StatusBadge status={found.status} />}>
      <Facts document={found} />
      {found.error && <Failure error={new Error(found.error)} />}
      {chunk !== undefined && !document.isPlaceholderData && <MovedNotice document={found} chunk={chunk} />}
      <Chunks document={found} marked={chunk} />
      <Pages of="chunks" page={found.page} limit={PAGE_SIZE} total={found.chunk_count} onChange={turn} />
    </Page>
  )
}

function Facts({ document }: { document: DocumentWithChunks }) {
  const { url } = document.metadata as { url?: unknown }
  return (
    <div className="-mt-4 flex flex-col gap-1 text-sm text-muted">
      <p>
        {t.rich('document.facts', {
          type: document.mime_type,
          size: formatBytes(document.size),
          chunks: t('document.chunks', { count: document.chunk_count }),
          ago: () => <Ago time={document.updated_at} />,
        })}
      </p>
      {typeof url === 'string' && /^https?:\/\//i.test(url) && (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="reach flex w-fit max-w-full items-center gap-1 text-accent hover:underline"
        >
          <span className="truncate">{url}</span>
          <ExternalLink aria-label={t('document.newTab')} size={14} className="shrink-0" />
        </a>
      )}
    </div>
  )
}

/**
 * Explains that a linked chunk no longer exists. Reindexing replaces chunks, so links in older citations become
 * invalid.
 */
const MovedNotice = ({ document, chunk }: { document: DocumentWithChunks; chunk: string }) =>
  !document.chunks.some(({ id }) => id === chunk) && (
    <p role="status" className="rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">
      {t('document.moved')}
    </p>
  )

function Chunks({ document, marked }: { document: DocumentWithChunks; marked: string | undefined }) {
  if (document.chunks.length === 0)
    return (
      <p className="py-8 text-center text-muted">
        {isUnderWay(document.status) ? t('document.indexing') : t('document.empty')}
      </p>
    )
  return (
    <ol aria-label={t('columns.chunks')} className="flex flex-col gap-3">
      {document.chunks.map((one) => (
        <ChunkCard key={one.id} kbId={document.kb_id} chunk={one} isMarked={one.id === marked} />
      ))}
    </ol>
  )
}
