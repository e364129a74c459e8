import type { IngestionStatus } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Bar } from '../../ui/bar.tsx'
import { isUnderWay, POLL_MS, type Status } from './status.tsx'

const t = translator('knowledge')

/** The progress of importing sources and indexing documents. Screen readers announce changes of its text. */
export function IngestionProgress({ kbId, status }: { kbId: string; status: Status }) {
  const isBusy = isUnderWay(status)
  const ingestion = useQuery({
    ...read('GET /api/kb/ingestion_status', { kb_id: kbId }),
    enabled: isBusy,
    refetchInterval: POLL_MS,
  })
  const shown = isBusy ? ingestion.data : undefined
  return (
    <div role="status" className={shown ? 'flex flex-col gap-2' : 'sr-only'}>
      {shown && (
        <>
          <p className="text-sm text-muted">{textOf(shown)}</p>
          <Bar share={shown.progress} />
        </>
      )}
    </div>
  )
}

function textOf({ documents: { total, ready, failed, pending }, sources }: IngestionStatus): string {
  // Count only sources without pending documents. The documents of other sources are counted below.
  const importing = sources.filter((one) => isUnderWay(one.status) && one.documents.pending === 0).length
  const parts = [
    importing > 0 && t('progress.importing', { count: importing }),
    total > 0 && t('progress.ready', { ready, total }),
    pending > 0 && t('progress.waiting', { count: pending }),
    failed > 0 && t('progress.failed', { count: failed }),
  ]
  return parts.filter(Boolean).join(' · ')
}
