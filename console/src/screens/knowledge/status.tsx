import type { KnowledgeBase } from '@parley/client/schemas'
import { Badge, type Tone } from '../../ui/badge.tsx'

export type Status = KnowledgeBase['status']

interface Word {
  text: string
  tone: Tone
}

const BASES: Record<Status, Word> = {
  pending: { text: 'Queued', tone: 'neutral' },
  processing: { text: 'Indexing', tone: 'accent' },
  ready: { text: 'Ready', tone: 'success' },
  failed: { text: 'Failed', tone: 'danger' },
}

const SOURCES: Record<Status, Word> = { ...BASES, processing: { text: 'Reading', tone: 'accent' } }

/** How far something is, in a word: a document, a source or the whole. */
export function StatusBadge({ status, of = 'document' }: { status: Status; of?: 'document' | 'source' }) {
  const { text, tone } = (of === 'source' ? SOURCES : BASES)[status]
  return <Badge tone={tone}>{text}</Badge>
}

export const isUnderWay = (status: Status): boolean => status === 'pending' || status === 'processing'

/** Where the live connection is missing, what is under way is asked for so often. */
export const POLL_MS = 4_000

/** What is no longer true when something comes in or goes. */
export const CONTENT = [
  'GET /api/kb/get',
  'GET /api/kb/list',
  'GET /api/kb/list_documents',
  'GET /api/kb/ingestion_status',
] as const
