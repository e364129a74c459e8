import type { kbSources } from '#database/schema/kb.ts'
import { sentence } from '#errors'

/*
 * Derives the state of knowledge bases and sources from the document counters of sources. A source is first read to
 * find its documents, which are then indexed.
 */

export const STATUSES = ['pending', 'processing', 'ready', 'failed'] as const
export type Status = (typeof STATUSES)[number]
/** Statuses of an ingestion. `partial`: the knowledge base is ready, but some of its sources failed. */
export const INGESTION_STATUSES = [...STATUSES, 'partial'] as const
export type IngestionStatus = (typeof INGESTION_STATUSES)[number]

export interface DocumentCounts {
  total: number
  ready: number
  failed: number
  pending: number
}

type Source = Pick<
  typeof kbSources.$inferSelect,
  'status' | 'error' | 'reading' | 'documentsPending' | 'documentsReady' | 'documentsFailed'
>

export interface SourceState {
  status: Status
  error: string | null
  documents: DocumentCounts
}

const NO_DOCUMENT = sentence('kb.no_document_read')

/**
 * Describes a source. A source is ready once all its documents are processed, unless all of them failed. It is failed
 * if its last reading failed, or if all its documents failed.
 */
export function describeSource(row: Source): SourceState {
  const documents = countsOf(row)
  return { ...statusOf(row, documents), documents }
}

function statusOf(row: Source, { pending, ready, failed }: DocumentCounts): Omit<SourceState, 'documents'> {
  if (row.status === 'failed') return { status: 'failed', error: row.error }
  if (row.status === 'pending' && row.reading === 0) return { status: 'pending', error: null }
  if (row.status !== 'read' || pending > 0) return { status: 'processing', error: row.error }
  if (ready === 0 && failed > 0) return { status: 'failed', error: row.error ?? NO_DOCUMENT }
  return { status: 'ready', error: row.error }
}

/** Maximum progress before ingestion ends. The number of documents is unknown while a source is being read. */
const PROGRESS_WHILE_READING = 0.99

/** Describes a knowledge base. It is ready when no work is left and it has ready documents or no failed sources. */
export function describeSources(sources: readonly Source[]): {
  status: Status
  ingestion: IngestionStatus
  progress: number
  documents: DocumentCounts
} {
  const states = sources.map(describeSource)
  const is = (status: Status) => states.some((state) => state.status === status)
  const documents = states.reduce<DocumentCounts>(
    (sum, { documents: { total, ready, failed, pending } }) => ({
      total: sum.total + total,
      ready: sum.ready + ready,
      failed: sum.failed + failed,
      pending: sum.pending + pending,
    }),
    { total: 0, ready: 0, failed: 0, pending: 0 },
  )
  const isBusy = is('processing') || is('pending')
  const done = documents.total === 0 ? 0 : (documents.ready + documents.failed) / documents.total
  const status =
    is('processing') || (is('pending') && is('ready')) ? 'processing' : restingStatus(is, documents.ready)
  return {
    status,
    ingestion: status === 'ready' && is('failed') ? 'partial' : status,
    progress: isBusy ? Math.min(done, PROGRESS_WHILE_READING) : 1,
    documents,
  }
}

function restingStatus(is: (status: Status) => boolean, ready: number): Status {
  if (is('pending')) return 'pending'
  return is('failed') && ready === 0 ? 'failed' : 'ready'
}

const countsOf = (row: Source): DocumentCounts => ({
  total: row.documentsPending + row.documentsReady + row.documentsFailed,
  ready: row.documentsReady,
  failed: row.documentsFailed,
  pending: row.documentsPending,
})
