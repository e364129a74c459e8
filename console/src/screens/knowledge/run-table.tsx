import type { EvaluationMetrics, EvaluationRun } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { formatDuration, formatPercent, formatScore, formatTime } from '../../ui/format.ts'
import { Table } from '../../ui/table.tsx'
import { LOCAL } from './models.tsx'

const t = translator('evaluations')
const knowledge = translator('knowledge')

/** Poll interval in milliseconds. A run takes seconds, and no live event reports its end. */
export const RUN_POLL_MS = 1_500

export const isRunning = ({ status }: EvaluationRun): boolean =>
  status === 'pending' || status === 'processing'

const TONES: Record<EvaluationRun['status'], Tone> = {
  pending: 'neutral',
  processing: 'accent',
  complete: 'success',
  failed: 'danger',
}

export const RunTable = ({
  runs,
  chosen,
}: {
  runs: readonly EvaluationRun[]
  chosen: string | undefined
}) => (
  <Table
    label={t('runs.label')}
    rows={runs}
    keyOf={({ id }) => id}
    columns={[
      {
        header: t('runs.run'),
        cell: (run) => (
          <div>
            <Link
              to="."
              search={(before) => ({ ...before, run: run.id, against: undefined, page: undefined })}
              aria-current={run.id === chosen || undefined}
              className="font-medium hover:underline aria-[current=true]:text-accent"
            >
              {t('runs.number', { number: numberOf(runs, run.id) })}
            </Link>
            <span className="ml-2 text-muted">{formatTime(run.created_at)}</span>
            <p className="text-muted">{settingsOf(run)}</p>
            {run.error && <p className="text-danger">{run.error}</p>}
          </div>
        ),
      },
      {
        header: t('runs.status.label'),
        cell: ({ status }) => <Badge tone={TONES[status]}>{t(`runs.status.${status}`)}</Badge>,
      },
      { header: t('measures.recall'), numeric: true, cell: ({ metrics }) => shareOf(metrics, 'recall_at_k') },
      {
        header: t('measures.mrr'),
        numeric: true,
        wideOnly: true,
        cell: ({ metrics }) => shareOf(metrics, 'mrr'),
      },
      {
        header: t('measures.ndcg'),
        numeric: true,
        wideOnly: true,
        cell: ({ metrics }) => shareOf(metrics, 'ndcg_at_10'),
      },
      {
        header: t('runs.searchTime'),
        numeric: true,
        wideOnly: true,
        cell: ({ metrics }) => (metrics ? formatDuration(metrics.milliseconds_p50) : ''),
      },
    ]}
  />
)

/** Returns a run's number. The oldest run has number 1. `runs` is sorted newest first. */
export const numberOf = (runs: readonly EvaluationRun[], id: string): number =>
  runs.length - runs.findIndex((run) => run.id === id)

const shareOf = (metrics: EvaluationMetrics | null, name: 'recall_at_k' | 'mrr' | 'ndcg_at_10'): string =>
  metrics ? formatPercent(metrics[name]) : ''

/** Returns a run's settings as text, such as `Top 10 · Chunks of 400 tokens · Built-in (local)`. */
export function settingsOf({ settings }: EvaluationRun): string {
  const parts = [
    t('runs.top', { limit: settings.limit }),
    t('runs.chunks', { tokens: settings.chunking.max_tokens }),
    settings.embedding_model === LOCAL ? knowledge('embedding.builtIn') : settings.embedding_model,
    settings.score_threshold > 0 && t('runs.minimumScore', { score: formatScore(settings.score_threshold) }),
    settings.filter !== null && t('runs.filtered'),
    settings.rerank !== null && t('runs.reranked'),
  ]
  return parts.filter(Boolean).join(' · ')
}
