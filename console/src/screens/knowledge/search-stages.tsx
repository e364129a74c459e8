import type { SearchReceipt, SearchResult } from '@parley/client/schemas'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { formatNumber } from '../../ui/format.ts'
import { LOCAL } from './models.tsx'
import { RankChart } from './rank-chart.tsx'

interface SearchStagesProps {
  receipt: SearchReceipt
  results: readonly SearchResult[]
}

/** The way from the question to what is shown: what each stage found, and how long it took. */
export function SearchStages({ receipt, results }: SearchStagesProps) {
  const { candidates, dropped, milliseconds, words, phrases, prefixes, knowledge_bases } = receipt
  const isLocal = knowledge_bases.every(({ embedding_model }) => embedding_model === LOCAL)
  const chunks = knowledge_bases.reduce((sum, one) => sum + one.chunks, 0)
  const looked = [
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
          How it was found
        </h2>
        <p className="text-sm text-muted">
          {formatNumber(chunks)} chunks searched in {timeOf(milliseconds.all)}
        </p>
      </header>
      <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
        Looked for
        {looked.map((word) => (
          <Badge key={word}>{word}</Badge>
        ))}
      </p>
      <ol className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Stage name="Words (BM25)" count={candidates.lexical} time={milliseconds.lexical}>
          Passages that have the words
        </Stage>
        <Stage
          name={isLocal ? 'Vectors (local)' : 'Vectors'}
          count={candidates.dense}
          time={milliseconds.dense}
        >
          {receipt.dense_failure ?? (isLocal ? 'Passages of similar letters' : 'Passages of similar meaning')}
        </Stage>
        <Stage name="Together" count={candidates.fused}>
          Both lists made one by their ranks
        </Stage>
        <Stage name="Shown" count={results.length}>
          {leftOut(dropped)}
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
        {time !== undefined && <span className="tabular-nums">{timeOf(time)}</span>}
      </p>
      <p className="text-xl font-semibold tabular-nums">{formatNumber(count)}</p>
      <p className="text-sm text-muted">{children}</p>
    </li>
  )
}

function leftOut({ duplicates, below_threshold }: SearchReceipt['dropped']): string {
  const parts = [
    duplicates > 0 && `${formatNumber(duplicates)} near-duplicates left out`,
    below_threshold > 0 && `${formatNumber(below_threshold)} below the least score`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(', ') : 'The best of them'
}

const timeOf = (milliseconds: number): string =>
  milliseconds >= 100 ? `${formatNumber(Math.round(milliseconds))} ms` : `${milliseconds.toFixed(1)} ms`
