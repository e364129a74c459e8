import type { IngestionStatus } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { Bar } from '../../ui/chart.tsx'
import { formatNumber } from '../../ui/format.ts'
import { isUnderWay, POLL_MS, type Status } from './status.tsx'

/** While sources are read and documents indexed: how far that is. The words are told when they change. */
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
          <p className="text-sm text-muted">{wordsOf(shown)}</p>
          <Bar share={shown.progress} />
        </>
      )}
    </div>
  )
}

function wordsOf({ documents: { total, ready, failed, pending }, sources }: IngestionStatus): string {
  // Those whose documents are all done, and which are read on, or wait for it.
  const reading = sources.filter((one) => isUnderWay(one.status) && one.documents.pending === 0).length
  const parts = [
    reading > 0 && (reading === 1 ? 'Reading 1 source' : `Reading ${formatNumber(reading)} sources`),
    total > 0 && `${formatNumber(ready)} of ${formatNumber(total)} documents ready`,
    pending > 0 && `${formatNumber(pending)} waiting`,
    failed > 0 && `${formatNumber(failed)} failed`,
  ]
  return parts.filter(Boolean).join(', ')
}
