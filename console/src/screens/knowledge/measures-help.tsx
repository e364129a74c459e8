import { translator } from '../../messages/index.ts'

const t = translator('evaluations')

const MEASURES = ['recall', 'mrr', 'ndcg'] as const

/** Explains the metrics of runs, in one fold. */
export const MeasuresHelp = () => (
  <details className="rounded-xl border border-line text-sm">
    <summary className="rounded-xl px-3 py-2 text-muted touch:py-2.5">{t('help.title')}</summary>
    <dl className="flex flex-col gap-3 border-t border-line px-3 py-3">
      {MEASURES.map((name) => (
        <div key={name} className="max-w-prose">
          <dt className="font-medium">{t(`help.${name}Name`)}</dt>
          <dd className="text-muted">{t(`help.${name}`)}</dd>
        </div>
      ))}
    </dl>
  </details>
)
