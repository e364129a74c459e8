import type { EvaluationMetrics, EvaluationRunSettings } from '@parley/client/schemas'
import { formatNumber } from '../../ui/format.ts'
import { percentOf } from './run-table.tsx'

interface RunMeasuresProps {
  metrics: EvaluationMetrics
  /** Of the run that it is compared with. */
  before: EvaluationMetrics | null
  settings: EvaluationRunSettings
}

/** The means of a run, each with what it says, and what may make it doubtful. */
export function RunMeasures({ metrics, before, settings }: RunMeasuresProps) {
  const measures = [
    ['recall_at_k', `Recall at ${settings.limit}`, 'Right documents that are found'],
    ['mrr', 'MRR', 'How far up the first right one is'],
    ['ndcg_at_10', 'nDCG at 10', 'How far up all right ones are'],
  ] as const
  return (
    <>
      <dl className="grid gap-3 sm:grid-cols-3">
        {measures.map(([name, title, words]) => (
          <div key={name} className="flex flex-col rounded-xl border border-line px-4 py-3">
            <dt className="text-sm text-muted">{title}</dt>
            <dd className="flex items-baseline gap-2 text-2xl font-semibold tabular-nums">
              {percentOf(metrics[name])}
              {before && <Difference by={metrics[name] - before[name]} />}
            </dd>
            <dd className="text-sm text-muted">{words}</dd>
          </div>
        ))}
      </dl>
      <Doubts metrics={metrics} settings={settings} />
    </>
  )
}

/** Smaller ones are not shown by one decimal of a percentage. */
const SAME = 0.0005

export function Difference({ by }: { by: number }) {
  if (Math.abs(by) < SAME) return <span className="text-sm font-medium text-muted">±0</span>
  return (
    <span className={by > 0 ? 'text-sm font-medium text-success' : 'text-sm font-medium text-danger'}>
      {by > 0 ? '+' : '−'}
      {(Math.abs(by) * 100).toFixed(1)}
    </span>
  )
}

function Doubts({ metrics, settings }: Omit<RunMeasuresProps, 'before'>) {
  const doubts = [
    metrics.failed_questions > 0 &&
      `${formatNumber(metrics.failed_questions)} questions could not be searched for, because a model failed.`,
    metrics.questions_without_vectors > 0 &&
      `${formatNumber(metrics.questions_without_vectors)} questions were searched for by their words only, because the embedding model failed.`,
    metrics.index_version_at_end !== settings.index_version &&
      'The knowledge base has changed while this ran.',
  ].filter((doubt) => doubt !== false)
  if (doubts.length === 0) return null
  return (
    <ul className="rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">
      {doubts.map((doubt) => (
        <li key={doubt}>{doubt}</li>
      ))}
    </ul>
  )
}
