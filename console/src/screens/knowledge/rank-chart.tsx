import type { SearchResult } from '@parley/client/schemas'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatNumber } from '../../ui/format.ts'

const t = translator('knowledge')

const LINES_MAX = 10
/** Number of ranks that have their own row. All other ranks share one row. */
const RANKS_SHOWN = 12

const WIDTH = 720
const ROW = 18
const TOP = 26
const LEFT = 90
const RIGHT = 60

/**
 * A row of the chart: a rank, the shared row of all higher rank numbers, or the row of results that a stage did not
 * find.
 */
type Row = number | 'later' | 'none'

interface Line {
  id: string
  name: string
  /** The rank at each stage. Null if the stage did not find the result. */
  ranks: (number | null)[]
}

/**
 * Draws a line for each result through its ranks at all stages. Hidden from screen readers, because each result's
 * text lists the same ranks.
 */
export function RankChart({ results }: { results: readonly SearchResult[] }) {
  const [active, setActive] = useState<string>()
  const lines = results.slice(0, LINES_MAX).map(lineOf)
  const ranks = lines.flatMap((line) => line.ranks).filter((rank) => rank !== null)
  const deepest = Math.max(1, ...ranks.filter((rank) => rank <= RANKS_SHOWN))
  const rows = rowsOf(
    deepest,
    ranks.some((rank) => rank > RANKS_SHOWN),
    lines.some((line) => line.ranks.includes(null)),
  )
  const height = TOP + rows.length * ROW
  const yOf = (rank: number | null): number => {
    const row = rank === null ? 'none' : rank > RANKS_SHOWN ? 'later' : rank
    return TOP + rows.indexOf(row) * ROW + ROW / 2
  }
  return (
    <figure className="hidden sm:block">
      <svg aria-hidden viewBox={`0 0 ${WIDTH} ${height}`} className="h-auto w-full">
        {stageNames().map((name, stage) => (
          <g key={name}>
            <text x={xOf(stage)} y={12} textAnchor="middle" className="fill-muted text-[11px]">
              {name}
            </text>
            <line x1={xOf(stage)} x2={xOf(stage)} y1={TOP} y2={height} className="stroke-line" />
          </g>
        ))}
        {rows.map((row, place) => (
          <text
            key={row}
            x={LEFT - 14}
            y={TOP + place * ROW + ROW / 2 + 4}
            textAnchor="end"
            className="fill-muted text-[11px]"
          >
            {rowLabel(row)}
          </text>
        ))}
        {lines.map(({ id, name, ranks: way }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: each result lists its ranks as text
          <g key={id} onMouseEnter={() => setActive(id)} onMouseLeave={() => setActive(undefined)}>
            <title>{name}</title>
            <polyline
              points={way.map((rank, stage) => `${xOf(stage)},${yOf(rank)}`).join(' ')}
              className={classNames(
                'fill-none',
                active === id ? 'stroke-accent' : active ? 'stroke-line' : 'stroke-accent/60',
              )}
              strokeWidth={active === id ? 3 : 2}
            />
            {way.map((rank, stage) => (
              <circle
                // biome-ignore lint/suspicious/noArrayIndexKey: the stages never change
                key={stage}
                cx={xOf(stage)}
                cy={yOf(rank)}
                r={4}
                className={
                  rank === null
                    ? 'fill-canvas stroke-line-strong'
                    : active && active !== id
                      ? 'fill-line'
                      : 'fill-accent'
                }
              />
            ))}
          </g>
        ))}
      </svg>
    </figure>
  )
}

const stageNames = () => [
  t('passages.keyword'),
  t('passages.semantic'),
  t('passages.combined'),
  t('passages.results'),
]
const STAGES = 4

const xOf = (stage: number): number => LEFT + (stage * (WIDTH - LEFT - RIGHT)) / (STAGES - 1)

const lineOf = ({ chunk_id, document_name, explanation }: SearchResult, place: number): Line => ({
  id: chunk_id,
  name: `${place + 1}. ${document_name}`,
  ranks: [
    explanation?.lexical?.rank ?? null,
    explanation?.dense?.rank ?? null,
    explanation?.fused_rank ?? null,
    place + 1,
  ],
})

const rowsOf = (deepest: number, isSomeLater: boolean, isSomeMissing: boolean): Row[] => [
  ...Array.from({ length: deepest }, (_, place) => place + 1),
  ...(isSomeLater ? (['later'] as const) : []),
  ...(isSomeMissing ? (['none'] as const) : []),
]

function rowLabel(row: Row): string {
  if (row === 'none') return t('passages.noMatch')
  return row === 'later' ? `> ${formatNumber(RANKS_SHOWN)}` : formatNumber(row)
}
