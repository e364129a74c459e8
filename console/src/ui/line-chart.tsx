import { translator } from '../messages/index.ts'
import { classNames } from './class-names.ts'

const t = translator('ui')

interface Series {
  name: string
  /** A value from 0 to 1 for each label. Null if there is no value. */
  values: readonly (number | null)[]
}

interface LineChartProps {
  /** The caption for screen readers. */
  label: string
  /** The labels of the x axis, oldest first. */
  labels: readonly string[]
  series: readonly Series[]
}

/** The SVG's widths on large screens and on phones. With two widths, the text has a similar size on both. */
const WIDE = 720
const NARROW = 320
const HEIGHT = 200
const LEFT = 46
const FOOT = 22
const TOP = 10
const SIDE = 20
const LABEL_WIDTH = 48
const GRID = [0, 0.25, 0.5, 0.75, 1]

/** The styles of the lines, in the order of the series. Different dashes distinguish the lines without colors. */
const LOOKS = [
  { stroke: 'stroke-accent', fill: 'fill-accent', dash: undefined },
  { stroke: 'stroke-success', fill: 'fill-success', dash: '7 4' },
  { stroke: 'stroke-warning', fill: 'fill-warning', dash: '2 4' },
] as const

const lookOf = (place: number) => LOOKS[place % LOOKS.length] ?? LOOKS[0]

/**
 * A chart of up to three lines over time. Each point shows its value on hover. A visually hidden table contains the
 * same data for screen readers.
 */
export const LineChart = (props: LineChartProps) => (
  <figure className="flex flex-col gap-2">
    <Plot {...props} width={WIDE} className="hidden sm:block" />
    <Plot {...props} width={NARROW} className="sm:hidden" />
    <Legend series={props.series} />
    <DataTable {...props} />
  </figure>
)

function Plot({ labels, series, width, className }: LineChartProps & { width: number; className: string }) {
  const room = width - LEFT - 2 * SIDE
  const xOf = (place: number) =>
    LEFT + SIDE + (labels.length === 1 ? room / 2 : (place * room) / (labels.length - 1))
  const every = Math.ceil(labels.length / (room / LABEL_WIDTH))
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${HEIGHT}`} className={classNames('h-auto w-full', className)}>
      {GRID.map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={width} y1={yOf(value)} y2={yOf(value)} className="stroke-line" />
          <text x={LEFT - 8} y={yOf(value) + 4} textAnchor="end" className="fill-muted text-[11px]">
            {value * 100} %
          </text>
        </g>
      ))}
      {labels.map(
        (name, place) =>
          place % every === 0 && (
            <text
              key={name}
              x={xOf(place)}
              y={HEIGHT - 4}
              textAnchor="middle"
              className="fill-muted text-[11px]"
            >
              {name}
            </text>
          ),
      )}
      {series.map((one, place) => (
        <Line key={one.name} series={one} labels={labels} xOf={xOf} look={lookOf(place)} />
      ))}
    </svg>
  )
}

const yOf = (value: number): number => TOP + (1 - value) * (HEIGHT - FOOT - TOP)

interface LineProps {
  series: Series
  labels: readonly string[]
  xOf: (place: number) => number
  look: (typeof LOOKS)[number]
}

function Line({ series: { name, values }, labels, xOf, look }: LineProps) {
  const points = values.flatMap((value, place) => (value === null ? [] : [{ value, place }]))
  return (
    <g>
      <polyline
        points={points.map(({ value, place }) => `${xOf(place)},${yOf(value)}`).join(' ')}
        strokeDasharray={look.dash}
        strokeWidth={2}
        className={classNames('fill-none', look.stroke)}
      />
      {points.map(({ value, place }) => (
        <circle key={place} cx={xOf(place)} cy={yOf(value)} r={4} className={look.fill}>
          <title>{`${name}, ${labels[place]}: ${percentOf(value)}`}</title>
        </circle>
      ))}
    </g>
  )
}

const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul aria-hidden className="flex flex-wrap justify-center gap-x-5 gap-y-1 text-sm text-muted">
    {series.map(({ name }, place) => (
      <li key={name} className="flex items-center gap-2">
        <svg aria-hidden viewBox="0 0 28 8" className="h-2 w-7">
          <line
            x1={0}
            x2={28}
            y1={4}
            y2={4}
            strokeWidth={2}
            strokeDasharray={lookOf(place).dash}
            className={lookOf(place).stroke}
          />
        </svg>
        {name}
      </li>
    ))}
  </ul>
)

const DataTable = ({ label, labels, series }: LineChartProps) => (
  <table className="sr-only">
    <caption>{label}</caption>
    <thead>
      <tr>
        <td />
        {series.map(({ name }) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {labels.map((name, place) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {series.map(({ name: column, values }) => (
            <td key={column}>{values[place] == null ? t('noValue') : percentOf(values[place])}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const percentOf = (value: number): string => `${Math.round(value * 1000) / 10} %`
