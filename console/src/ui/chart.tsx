import { classNames } from './class-names.ts'

interface Bar {
  /** As `2026-01-31`, or a name. */
  label: string
  value: number
}

interface BarChartProps {
  /** What is counted, for who does not see it: "Credits by day". */
  label: string
  bars: readonly Bar[]
  format: (value: number) => string
}

const WIDTH = 720
const HEIGHT = 180
const FOOT = 20
const GAP_SHARE = 0.25
const LABELS_MAX = 8

/** Upright bars, as of days; each tells its value on hovering, and a table says the same to screen readers. */
export function BarChart({ label, bars, format }: BarChartProps) {
  const top = Math.max(...bars.map(({ value }) => value), 0)
  const step = WIDTH / Math.max(bars.length, 1)
  const every = Math.ceil(bars.length / LABELS_MAX)
  const heightOf = (value: number) => (top === 0 ? 0 : (value / top) * (HEIGHT - FOOT - 8))
  return (
    <figure className="flex flex-col gap-1">
      <p aria-hidden className="text-right text-xs text-muted">
        at most {format(top)}
      </p>
      <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-auto w-full">
        <line x1={0} x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} className="stroke-line" />
        {bars.map(({ label: name, value }, place) => (
          <g key={name}>
            <rect
              x={place * step}
              y={0}
              width={step}
              height={HEIGHT - FOOT}
              className="fill-transparent hover:fill-hover"
            >
              <title>{`${name}: ${format(value)}`}</title>
            </rect>
            <rect
              x={place * step + (step * GAP_SHARE) / 2}
              y={HEIGHT - FOOT - heightOf(value)}
              width={step * (1 - GAP_SHARE)}
              height={heightOf(value)}
              rx={Math.min(3, step / 4)}
              className="pointer-events-none fill-accent"
            />
            {place % every === 0 && (
              <text
                x={place === 0 ? 0 : place * step + step / 2}
                y={HEIGHT - 4}
                textAnchor={place === 0 ? 'start' : 'middle'}
                className="fill-muted text-[11px]"
              >
                {name.length > 10 ? `${name.slice(0, 9)}…` : name}
              </text>
            )}
          </g>
        ))}
      </svg>
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

/** Lying bars with names: shares of a whole, scores. `value` from 0 to `top`. */
export function Meters({
  label,
  bars,
  format,
  top = Math.max(...bars.map(({ value }) => value), 0),
}: BarChartProps & { top?: number }) {
  return (
    <dl aria-label={label} className="flex flex-col gap-2.5">
      {bars.map(({ label: name, value }) => (
        <div key={name} className="flex flex-col gap-1">
          <div className="flex justify-between gap-4 text-sm">
            <dt className="min-w-0 truncate">{name}</dt>
            <dd className="text-muted tabular-nums">{format(value)}</dd>
          </div>
          <Bar share={top === 0 ? 0 : value / top} />
        </div>
      ))}
    </dl>
  )
}

/** How much of something is done or used, from 0 to 1; the words are beside it. */
export const Bar = ({ share, tone = 'accent' }: { share: number; tone?: 'accent' | 'danger' }) => (
  <svg
    aria-hidden
    viewBox="0 0 100 2"
    preserveAspectRatio="none"
    className="h-1.5 w-full overflow-hidden rounded-full"
  >
    <rect width={100} height={2} className="fill-hover" />
    <rect
      width={100 * Math.min(1, Math.max(0, share))}
      height={2}
      className={classNames(tone === 'danger' ? 'fill-danger' : 'fill-accent')}
    />
  </svg>
)
