import type { KnowledgeBase } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'

const t = translator('knowledge')

export type Status = KnowledgeBase['status']

const TONES: Record<Status, Tone> = {
  pending: 'neutral',
  processing: 'accent',
  ready: 'success',
  failed: 'danger',
}

export function StatusBadge({ status, of = 'document' }: { status: Status; of?: 'document' | 'source' }) {
  const isImporting = of === 'source' && status === 'processing'
  return <Badge tone={TONES[status]}>{isImporting ? t('status.importing') : t(`status.${status}`)}</Badge>
}

export const isUnderWay = (status: Status): boolean => status === 'pending' || status === 'processing'

/** Poll interval in milliseconds while ingestion is in progress. */
export const POLL_MS = 4_000

/** Operations whose cached responses are stale after documents were added or deleted. */
export const CONTENT = [
  'GET /api/kb/get',
  'GET /api/kb/list',
  'GET /api/kb/list_documents',
  'GET /api/kb/ingestion_status',
] as const
