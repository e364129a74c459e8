import type { SearchReceipt, SearchResult } from '@parley/client/schemas'
import type { ReactNode } from 'react'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatDuration, formatNumber } from '../../ui/format.ts'
import { LOCAL } from './models.tsx'
import { RankChart } from './rank-chart.tsx'

const t = translator('knowledge')

interface SearchStagesProps {
  receipt: SearchReceipt
  results: readonly SearchResult[]
}

/** Shows the number of passages that each stage of the search found, and each stage's duration. */
export function SearchStages({ receipt, results }: SearchStagesProps) {
  const { candidates, dropped, milliseconds, words, phrases, prefixes, knowledge_bases } = receipt
  const isLocal = knowledge_bases.every(({ embedding_model }) => embedding_model === LOCAL)
  const chunks = knowledge_bases.reduce((sum, one) => sum + one.chunks, 0)
  const terms = [
    ...phrases.map((phrase) => `“${phrase}”`),
    ...prefixes.map((prefix) => `${prefix}*`),
    ...words,
  ]
  return (
    <section
      aria-labelledby="stages"
      className="flex flex-col gap-4 rounded-2xl border border-line bg-surface p-4"
    >
      <header className="flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="stages" className="font-semibold">
          {t('stages.title')}
        </h2>
        <p className="text-sm text-muted">
          {t('stages.searched', { count: chunks, time: formatDuration(milliseconds.all) })}
        </p>
      </header>
      <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
        {t('stages.terms')}
        {terms.map((term) => (
          <Badge key={term}>{term}</Badge>
        ))}
      </p>
      <ol className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Stage name={t('stages.keywordBm25')} count={candidates.lexical} time={milliseconds.lexical}>
          {t('stages.keywordHint')}
        </Stage>
        <Stage
          name={isLocal ? t('stages.spelling') : t('passages.semantic')}
          count={candidates.dense}
          time={milliseconds.dense}
        >
          {receipt.dense_failure ?? (isLocal ? t('stages.spellingHint') : t('stages.semanticHint'))}
        </Stage>
        <Stage name={t('passages.combined')} count={candidates.fused}>
          {t('stages.combinedHint')}
        </Stage>
        <Stage name={t('passages.results')} count={results.length}>
          {droppedOf(dropped)}
        </Stage>
      </ol>
      {results.length > 0 && <RankChart results={results} />}
    </section>
  )
}

function Stage({
  name,
  count,
  time,
  children,
}: {
  name: string
  count: number
  time?: number
  children: ReactNode
}) {
  return (
    <li className="flex flex-col gap-0.5 rounded-xl border border-line bg-raised px-3.5 py-2.5">
      <p className="flex justify-between gap-2 text-sm text-muted">
        <span>{name}</span>
        {time !== undefined && <span className="shrink-0 tabular-nums">{formatDuration(time)}</span>}
      </p>
      <p className="text-xl font-semibold tabular-nums">{formatNumber(count)}</p>
      <p className="text-sm text-muted">{children}</p>
    </li>
  )
}

function droppedOf({ duplicates, below_threshold }: SearchReceipt['dropped']): string {
  const parts = [
    duplicates > 0 && t('stages.duplicates', { count: duplicates }),
    below_threshold > 0 && t('stages.belowMinimum', { count: below_threshold }),
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(' · ') : t('stages.best')
}
