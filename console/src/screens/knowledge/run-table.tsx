import type { EvaluationMetrics, EvaluationRun } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { formatTime } from '../../ui/format.ts'
import { Table } from '../../ui/table.tsx'

/** A run takes seconds, and no event tells of its end. */
export const RUN_POLL_MS = 1_500

export const isRunning = ({ status }: EvaluationRun): boolean =>
  status === 'pending' || status === 'processing'

const STATES: Record<EvaluationRun['status'], [string, Tone]> = {
  pending: ['Queued', 'neutral'],
  processing: ['Running', 'accent'],
  complete: ['Done', 'success'],
  failed: ['Failed', 'danger'],
}

/** The runs, newest first, with what they searched by and what they measured. */
export const RunTable = ({
  runs,
  chosen,
}: {
  runs: readonly EvaluationRun[]
  chosen: string | undefined
}) => (
  <Table
    label="Runs"
    rows={runs}
    keyOf={({ id }) => id}
    columns={[
      {
        header: 'Run',
        cell: (run) => (
          <div>
            <Link
              to="."
              search={(before) => ({ ...before, run: run.id, against: undefined, page: undefined })}
              aria-current={run.id === chosen || undefined}
              className="font-medium hover:underline aria-[current=true]:text-accent"
            >
              #{numberOf(runs, run.id)}
            </Link>
            <span className="ml-2 text-muted">{formatTime(run.created_at)}</span>
            <p className="text-muted">{settingsOf(run)}</p>
            {run.error && <p className="text-danger">{run.error}</p>}
          </div>
        ),
      },
      {
        header: 'State',
        cell: ({ status }) => <Badge tone={STATES[status][1]}>{STATES[status][0]}</Badge>,
      },
      { header: 'Recall', numeric: true, cell: ({ metrics }) => shareOf(metrics, 'recall_at_k') },
      { header: 'MRR', numeric: true, wideOnly: true, cell: ({ metrics }) => shareOf(metrics, 'mrr') },
      {
        header: 'nDCG',
        numeric: true,
        wideOnly: true,
        cell: ({ metrics }) => shareOf(metrics, 'ndcg_at_10'),
      },
      {
        header: 'Time of a search',
        numeric: true,
        wideOnly: true,
        cell: ({ metrics }) => (metrics ? `${metrics.milliseconds_p50.toFixed(1)} ms` : ''),
      },
    ]}
  />
)

/** The oldest is the first. */
export const numberOf = (runs: readonly EvaluationRun[], id: string): number =>
  runs.length - runs.findIndex((run) => run.id === id)

const shareOf = (metrics: EvaluationMetrics | null, name: 'recall_at_k' | 'mrr' | 'ndcg_at_10'): string =>
  metrics ? percentOf(metrics[name]) : ''

/** The space in it is none to break a line at. */
export const percentOf = (share: number): string => `${(share * 100).toFixed(1)}\u00a0%`

/** As `First 10 · chunks of 400 · local`. */
export function settingsOf({ settings }: EvaluationRun): string {
  const parts = [
    `First ${settings.limit}`,
    `chunks of ${settings.chunking.max_tokens}`,
    settings.embedding_model,
    settings.score_threshold > 0 && `score from ${settings.score_threshold}`,
    settings.filter !== null && 'filtered',
    settings.rerank !== null && 'ranked again',
  ]
  return parts.filter(Boolean).join(' · ')
}
