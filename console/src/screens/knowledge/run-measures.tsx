import type { EvaluationMetrics, EvaluationRunSettings } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { formatOneDecimal, formatPercent } from '../../ui/format.ts'

const t = translator('evaluations')

interface RunMeasuresProps {
  metrics: EvaluationMetrics
  /** The metrics of the run to compare with. Null if none is selected. */
  before: EvaluationMetrics | null
  settings: EvaluationRunSettings
}

export function RunMeasures({ metrics, before, settings }: RunMeasuresProps) {
  const measures = [
    ['recall_at_k', t('measures.recallAt', { limit: settings.limit }), t('measures.recallHint')],
    ['mrr', t('measures.mrr'), t('measures.mrrHint')],
    ['ndcg_at_10', t('measures.ndcgAt', { limit: 10 }), t('measures.ndcgHint')],
  ] as const
  return (
    <>
      <dl className="grid gap-3 sm:grid-cols-3">
        {measures.map(([name, title, hint]) => (
          <div key={name} className="flex flex-col rounded-xl border border-line px-4 py-3">
            <dt className="text-sm text-muted">{title}</dt>
            <dd className="flex items-baseline gap-2 text-2xl font-semibold tabular-nums">
              {formatPercent(metrics[name])}
              {before && <Difference by={metrics[name] - before[name]} />}
            </dd>
            <dd className="text-sm text-muted">{hint}</dd>
          </div>
        ))}
      </dl>
      <Warnings metrics={metrics} settings={settings} />
    </>
  )
}

/** Differences below this value are rounded to 0.0 percentage points. */
const SAME = 0.0005

export function Difference({ by }: { by: number }) {
  if (Math.abs(by) < SAME) return <span className="text-sm font-medium text-muted">±0</span>
  return (
    <span className={by > 0 ? 'text-sm font-medium text-success' : 'text-sm font-medium text-danger'}>
      {by > 0 ? '+' : '−'}
      {formatOneDecimal(Math.abs(by) * 100)}
    </span>
  )
}

function Warnings({ metrics, settings }: Omit<RunMeasuresProps, 'before'>) {
  const warnings = [
    metrics.failed_questions > 0 && t('measures.failed', { count: metrics.failed_questions }),
    metrics.questions_without_vectors > 0 &&
      t('measures.keywordOnly', { count: metrics.questions_without_vectors }),
    metrics.index_version_at_end !== settings.index_version && t('measures.changed'),
  ].filter((warning) => warning !== false)
  if (warnings.length === 0) return null
  return (
    <ul className="rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  )
}
