import type { Percentiles } from './load.ts'
import type { Case } from './peers/peer.ts'

/** One run of one peer in one round. Figures that don't exist for a peer are NaN. */
export interface Measurement {
  streamsPerSecond: number
  tokensPerSecond: number
  firstTokenMs: Percentiles
  /** The median time to the first token, minus that of the direct run in the same round. */
  addedMs: number
  cpuPerThousandTokens: number
  databaseCpuPerThousandTokens: number
  peakMegabytes: number
  errors: number
  /** The share of time that the load generator's event loop was busy. */
  clientUtilization: number
}

/** The rounds of one peer for one case, in order. */
export interface Series {
  peer: string
  case: Case
  rounds: Measurement[]
}

type Figure = (measurement: Measurement) => number

/** The peers that others are compared with, in this order. */
const REFERENCES = ['portkey', 'pass-through']
/** Above this utilization, the load generator may be the bottleneck. */
const CLIENT_UTILIZATION_MAX = 0.85

const COLUMNS: { title: string; figure: Figure; digits: number; compared: boolean }[] = [
  { title: 'Streams/s', figure: (m) => m.streamsPerSecond, digits: 1, compared: true },
  { title: 'Tokens/s', figure: (m) => m.tokensPerSecond, digits: 0, compared: true },
  { title: 'First token, ms: p50', figure: (m) => m.firstTokenMs.p50, digits: 1, compared: false },
  { title: 'p95', figure: (m) => m.firstTokenMs.p95, digits: 1, compared: false },
  { title: 'p99', figure: (m) => m.firstTokenMs.p99, digits: 1, compared: false },
  { title: 'Added, ms', figure: (m) => m.addedMs, digits: 1, compared: true },
  { title: 'CPU-s per 1,000 tokens', figure: (m) => m.cpuPerThousandTokens, digits: 5, compared: true },
  { title: 'PostgreSQL CPU-s', figure: (m) => m.databaseCpuPerThousandTokens, digits: 5, compared: false },
  { title: 'Peak MB', figure: (m) => m.peakMegabytes, digits: 0, compared: true },
  { title: 'Client busy', figure: (m) => m.clientUtilization, digits: 2, compared: false },
]

export const caseName = ({ connections, gapMs }: Case): string => `${connections}x${gapMs}`

/** Returns a Markdown table of medians, with the ratios to the reference peers in parentheses. */
export function formatTable(all: Series[]): string {
  const titles = ['Case', 'Server', ...COLUMNS.map(({ title }) => title), 'Errors']
  const rows = all.map((series) => [
    caseName(series.case),
    series.peer,
    ...COLUMNS.map(({ figure, digits, compared }) => {
      const value = formatNumber(median(series.rounds.map(figure)), digits)
      const ratios = REFERENCES.map((reference) => formatNumber(ratioTo(reference, series, all, figure), 2))
      return compared && ratios.some((ratio) => ratio !== '–') ? `${value} (${ratios.join(', ')})` : value
    }),
    String(errorsOf(series)),
  ])
  const separator = titles.map((_, index) => (index < 2 ? '---' : '--:'))
  return [titles, separator, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Returns the key comparisons between Parley and Portkey, for the cases that were run. */
export function formatVerdict(all: Series[]): string[] {
  const compare = (
    title: string,
    connections: number,
    gapMs: number,
    figure: Figure,
    digits: number,
  ): string[] => {
    const find = (peer: string): Series | undefined =>
      all.find((s) => s.peer === peer && s.case.connections === connections && s.case.gapMs === gapMs)
    const [parley, portkey] = [find('parley'), find('portkey')]
    if (parley === undefined) return []
    const ours = formatNumber(median(parley.rounds.map(figure)), digits)
    const theirs = formatNumber(portkey ? median(portkey.rounds.map(figure)) : Number.NaN, digits)
    const ratio = formatNumber(ratioTo('portkey', parley, all, figure), 2)
    return [`${title} at ${connections}x${gapMs}: Parley ${ours}, Portkey ${theirs}, ratio ${ratio}`]
  }
  return [
    ...compare('Streams/s', 50, 0, (m) => m.streamsPerSecond, 1),
    ...compare('CPU-s per 1,000 tokens', 50, 0, (m) => m.cpuPerThousandTokens, 5),
    ...compare('First token added, ms,', 200, 10, (m) => m.addedMs, 1),
    ...compare('Peak MB', 200, 0, (m) => m.peakMegabytes, 0),
    ...compare('Peak MB', 200, 10, (m) => m.peakMegabytes, 0),
    `Errors: ${all.reduce((sum, series) => sum + errorsOf(series), 0)}`,
    ...busyClients(all),
  ]
}

/** Returns the median of the rounds' ratios. Only runs of the same round have comparable machine load. */
function ratioTo(reference: string, series: Series, all: Series[], figure: Figure): number {
  const other = all.find((s) => s.peer === reference && caseName(s.case) === caseName(series.case))
  if (other === undefined || other === series) return Number.NaN
  return median(
    series.rounds.map((measurement, round) => {
      const divisor = other.rounds[round] ? figure(other.rounds[round]) : Number.NaN
      return divisor > 0 && Number.isFinite(divisor) ? figure(measurement) / divisor : Number.NaN
    }),
  )
}

function busyClients(all: Series[]): string[] {
  const busy = all.filter(
    (series) => median(series.rounds.map((m) => m.clientUtilization)) > CLIENT_UTILIZATION_MAX,
  )
  if (busy.length === 0) return []
  const names = busy.map((series) => `${series.peer} ${caseName(series.case)}`)
  return [`The load generator was busy more than ${CLIENT_UTILIZATION_MAX} of the time: ${names.join(', ')}`]
}

const errorsOf = (series: Series): number => series.rounds.reduce((sum, { errors }) => sum + errors, 0)

function median(values: number[]): number {
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  return ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2
}

const formatNumber = (value: number, digits: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : '–'
