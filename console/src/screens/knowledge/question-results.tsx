import type { EvaluationQuestion, EvaluationResult } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CheckField } from '../../ui/field.tsx'
import { formatNumber, formatPercent, formatScore } from '../../ui/format.ts'

const t = translator('evaluations')

interface QuestionResultsProps {
  kbId: string
  results: readonly EvaluationResult[]
  /** The results of the run to compare with, in the same order as `results`. */
  before: readonly EvaluationResult[] | undefined
  questions: readonly EvaluationQuestion[]
  /** The number of this page's first question. */
  first: number
}

interface Row {
  number: number
  result: EvaluationResult
  before: EvaluationResult | undefined
  asked: EvaluationQuestion | undefined
}

export function QuestionResults({ kbId, results, before, questions, first }: QuestionResultsProps) {
  const [isOnlyMissed, setOnlyMissed] = useState(false)
  const rows = results.map(
    (result, place): Row => ({
      number: first + place,
      result,
      before: before?.[place],
      asked: questions[place],
    }),
  )
  const missed = rows.filter(({ result }) => result.recall_at_k < 1 || result.error !== null)
  const shown = isOnlyMissed ? missed : rows
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-semibold">{t('results.title')}</h3>
        <CheckField
          label={t('results.incomplete', { count: missed.length })}
          checked={isOnlyMissed}
          onChange={({ target }) => setOnlyMissed(target.checked)}
        />
      </div>
      <ol className="flex flex-col divide-y divide-line border-y border-line">
        {shown.map((row) => (
          <QuestionRow key={row.number} kbId={kbId} row={row} />
        ))}
      </ol>
      {shown.length === 0 && <p className="text-sm text-muted">{t('results.allFound')}</p>}
    </div>
  )
}

function QuestionRow({ kbId, row: { number, result, before, asked } }: { kbId: string; row: Row }) {
  return (
    <li className="py-2">
      <details>
        <summary className="flex items-center gap-3 rounded-lg px-1 py-1 text-sm">
          <span className="w-6 shrink-0 text-right text-muted tabular-nums">{formatNumber(number)}</span>
          <span className="min-w-0 grow break-words">{result.question}</span>
          {before && <Change from={before.first_rank} to={result.first_rank} />}
          <Outcome result={result} />
        </summary>
        <div
          className={classNames(
            'grid gap-x-8 gap-y-4 px-1 pt-3 pb-2 text-sm sm:pl-10',
            before ? 'md:grid-cols-3' : 'sm:grid-cols-2',
          )}
        >
          <Expected asked={asked} result={result} />
          <Found kbId={kbId} asked={asked} result={result} title={t('results.found')} />
          {before && <Found kbId={kbId} asked={asked} result={before} title={t('results.foundByOther')} />}
        </div>
      </details>
    </li>
  )
}

/** Shows how the rank differs from the rank in the other run. Hidden if both ranks are equal. */
function Change({ from, to }: { from: number | null; to: number | null }) {
  if (from === to) return null
  const isBetter = to !== null && (from === null || to < from)
  return (
    <span className={classNames('shrink-0', isBetter ? 'text-success' : 'text-danger')}>
      {from === null
        ? t('results.newlyFound')
        : isBetter
          ? t('results.better', { rank: from })
          : t('results.worse', { rank: from })}
    </span>
  )
}

function Outcome({ result: { error, first_rank, recall_at_k } }: { result: EvaluationResult }) {
  if (error !== null) return <Badge tone="danger">{t('results.failed')}</Badge>
  if (first_rank === null) return <Badge tone="danger">{t('results.notFound')}</Badge>
  return (
    <Badge tone={recall_at_k === 1 ? 'success' : 'warning'}>
      {recall_at_k === 1
        ? t('results.rank', { rank: first_rank })
        : t('results.share', { share: formatPercent(recall_at_k) })}
    </Badge>
  )
}

function Expected({ asked, result }: { asked: EvaluationQuestion | undefined; result: EvaluationResult }) {
  const names = [...(asked?.document_names ?? []), ...(asked?.document_ids ?? [])]
  return (
    <div>
      <h4 className="mb-1 text-muted">{t('results.expected')}</h4>
      <ul className="flex flex-col gap-1">
        {names.map((name) => (
          <li key={name} className="break-words">
            {name}
            {result.missing.includes(name) && (
              <span className="ml-1 text-danger">{t('results.notInBase')}</span>
            )}
          </li>
        ))}
      </ul>
      {result.error && <p className="mt-2 text-danger">{result.error}</p>}
      {result.dense_failure && (
        <p className="mt-2 text-warning">{t('results.keywordOnly', { reason: result.dense_failure })}</p>
      )}
    </div>
  )
}

interface FoundProps {
  kbId: string
  asked: EvaluationQuestion | undefined
  result: EvaluationResult
  title: string
}

function Found({ kbId, asked, result, title }: FoundProps) {
  const isCorrect = ({ document_id, document_name }: EvaluationResult['found'][number]): boolean =>
    asked?.document_names?.includes(document_name) === true ||
    asked?.document_ids?.includes(document_id) === true
  return (
    <div>
      <h4 className="mb-1 text-muted">{title}</h4>
      {result.found.length === 0 && <p>{t('results.none')}</p>}
      <ol className="flex flex-col gap-1">
        {result.found.map((one, place) => (
          <li key={one.document_id} className="flex items-baseline gap-2">
            <span className="w-5 shrink-0 text-right text-muted tabular-nums">{formatNumber(place + 1)}</span>
            <Link
              to="/knowledge/$kbId/documents/$documentId"
              params={{ kbId, documentId: one.document_id }}
              className={
                isCorrect(one)
                  ? 'min-w-0 font-medium break-words text-success hover:underline'
                  : 'min-w-0 break-words hover:underline'
              }
            >
              {one.document_name}
            </Link>
            {isCorrect(one) && (
              <Check
                aria-label={t('results.correct')}
                role="img"
                size={14}
                className="shrink-0 self-center text-success"
              />
            )}
            <span className="ml-auto text-muted tabular-nums">{formatScore(one.score)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
