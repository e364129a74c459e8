import { translator } from '../messages/index.ts'
import { classNames } from './class-names.ts'
import { Skeleton } from './states.tsx'

const t = translator('ui')

interface Bar {
  /** A day such as `2026-01-31`, or a name. */
  label: string
  value: number
}

interface BarChartProps {
  /** The caption for screen readers, such as "Credits by day". */
  label: string
  bars: readonly Bar[]
  format: (value: number) => string
}

const WIDTH = 720
const HEIGHT = 160
const GAP_SHARE = 0.25
const LABELS_MAX = 8

/**
 * A chart with vertical bars. Each bar shows its value on hover. A visually hidden table contains the same data for
 * screen readers.
 */
export function BarChart({ label, bars, format }: BarChartProps) {
  const top = Math.max(...bars.map(({ value }) => value), 0)
  const step = WIDTH / Math.max(bars.length, 1)
  const heightOf = (value: number) => (top === 0 ? 0 : (value / top) * (HEIGHT - 8))
  return (
    <figure className="@container flex flex-col gap-1">
      <p aria-hidden className="text-right text-xs text-muted">
        {t('peak', { value: format(top) })}
      </p>
      <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-auto w-full">
        <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="stroke-line" />
        {bars.map(({ label: name, value }, place) => (
          <g key={name}>
            <rect
              x={place * step}
              y={0}
              width={step}
              height={HEIGHT}
              className="fill-transparent hover:fill-hover"
            >
              <title>{`${name}: ${format(value)}`}</title>
            </rect>
            <rect
              x={place * step + (step * GAP_SHARE) / 2}
              y={HEIGHT - heightOf(value)}
              width={step * (1 - GAP_SHARE)}
              height={heightOf(value)}
              rx={Math.min(3, step / 4)}
              className="pointer-events-none fill-accent"
            />
          </g>
        ))}
      </svg>
      <Axis names={bars.map(({ label: name }) => name)} />
      <table className="sr-only">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ label: name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

/** A placeholder of the chart's height. */
export const BarChartSkeleton = () => (
  <div className="py-5">
    <Skeleton className="aspect-9/2" />
  </div>
)

/**
 * The labels below the bars. Narrow charts label fewer bars. The labels are HTML, so that they do not shrink with the
 * SVG.
 */
function Axis({ names }: { names: readonly string[] }) {
  const every = Math.ceil(names.length / LABELS_MAX)
  return (
    <div aria-hidden className="relative h-4 text-xs text-muted">
      {names.map(
        (name, place) =>
          place % every === 0 && (
            <span
              key={name}
              style={{ left: place === 0 ? 0 : `${((place + 0.5) / names.length) * 100}%` }}
              className={classNames(
                'absolute max-w-20 truncate',
                place > 0 && '-translate-x-1/2',
                (place / every) % 2 === 1 && 'hidden @lg:inline',
              )}
            >
              {name}
            </span>
          ),
      )}
    </div>
  )
}
