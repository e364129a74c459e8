import type { SearchReceipt, SearchResult } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { HitsContext } from '../../markdown/hits.ts'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { Bar } from '../../ui/bar.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatNumber, formatScore } from '../../ui/format.ts'
import { markHits, type Sought } from './highlight.ts'

const t = translator('knowledge')

const NOTHING_SOUGHT: Sought = { words: [], phrases: [], prefixes: [] }

interface SearchResultsProps {
  kbId: string
  results: readonly SearchResult[]
  receipt: SearchReceipt | undefined
}

export const SearchResults = ({ kbId, results, receipt }: SearchResultsProps) => (
  <ol aria-label={t('passages.label')} className="flex flex-col gap-3">
    {results.map((result, place) => (
      <li key={result.chunk_id} className="rounded-2xl border border-line bg-raised p-4">
        <Passage kbId={kbId} passage={result} number={place + 1} sought={receipt}>
          <Score score={result.score} />
        </Passage>
        {result.explanation && <Ranks explanation={result.explanation} />}
      </li>
    ))}
  </ol>
)

interface PassageProps {
  kbId: string
  passage: Omit<SearchResult, 'explanation'>
  number: number
  sought?: Sought | undefined
  children?: React.ReactNode
}

export function Passage({ kbId, passage, number, sought = NOTHING_SOUGHT, children }: PassageProps) {
  const { document_id, document_name, chunk_id, content, headings, page } = passage
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h3 className="min-w-0 text-sm font-semibold break-words">
          <span className="mr-2 text-muted tabular-nums">{formatNumber(number)}</span>
          <Link
            to="/knowledge/$kbId/documents/$documentId"
            params={{ kbId, documentId: document_id }}
            search={{ chunk: chunk_id }}
            className="reach hover:underline"
          >
            {document_name}
          </Link>
          {page !== null && (
            <span className="ml-2 font-normal text-muted">{t('passages.page', { page })}</span>
          )}
        </h3>
        {children}
      </div>
      {headings.length > 0 && <p className="text-sm break-words text-muted">{headings.join(' › ')}</p>}
      <Content content={content} sought={sought} />
    </div>
  )
}

/** Maximum length of a passage that is shown in full. A longer passage is collapsed. */
const FOLDED_CHARACTERS = 600

/** Shows a passage as rendered Markdown, with the matches highlighted. */
function Content({ content, sought }: { content: string; sought: Sought }) {
  const [isOpen, setOpen] = useState(false)
  const isLong = content.length > FOLDED_CHARACTERS
  const hits = useCallback((text: string) => markHits(text, sought), [sought])
  return (
    <>
      <div className={classNames('text-sm', isLong && !isOpen && 'max-h-36 overflow-hidden')}>
        <HitsContext value={hits}>
          <ReplyText text={content} streaming={false} />
        </HitsContext>
      </div>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="reach w-fit text-sm font-medium text-accent hover:underline"
        >
          {isOpen ? t('passages.less') : t('passages.more')}
        </button>
      )}
    </>
  )
}

const Score = ({ score }: { score: number }) => (
  <div className="flex w-36 items-center gap-2 text-sm">
    <span className="text-muted">{t('passages.score')}</span>
    <Bar share={score} />
    <span className="tabular-nums">{formatScore(score)}</span>
  </div>
)

const rankOf = (stage: { rank: number; score: number } | null): string =>
  stage === null
    ? t('passages.noMatch')
    : t('passages.rankAndScore', { rank: stage.rank, score: formatScore(stage.score) })

function Ranks({ explanation }: { explanation: NonNullable<SearchResult['explanation']> }) {
  const { lexical, dense, fused_rank, reranked } = explanation
  const ranks = [
    [t('passages.keyword'), rankOf(lexical)],
    [t('passages.semantic'), rankOf(dense)],
    [t('passages.combined'), t('passages.rank', { rank: fused_rank })],
    ...(reranked === null ? [] : [[t('passages.reranker'), formatScore(reranked)]]),
  ]
  return (
    <dl className="mt-3 flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-2.5 text-sm">
      {ranks.map(([stage, text]) => (
        <div key={stage} className="flex gap-1.5">
          <dt className="text-muted">{stage}</dt>
          <dd className="tabular-nums">{text}</dd>
        </div>
      ))}
    </dl>
  )
}
