import { locale, translator } from '../messages/index.ts'

const t = translator('ui')

// The formats are created on first use: all of them take a quarter of the time of the console's first scripts.
const NUMBER = once(() => new Intl.NumberFormat(locale))
const COMPACT = once(() => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }))
const ONE_DECIMAL = once(
  () => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)
const TWO_DECIMALS = once(
  () => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)
const PERCENT = once(
  () =>
    new Intl.NumberFormat(locale, {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
)
const DATE = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))
const DATE_TIME = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
const DAY = once(() => new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }))
const MONTH = once(() => new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' }))
const LIST = once(() => new Intl.ListFormat(locale, { type: 'conjunction' }))
const RELATIVE = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))

const SECOND = 1_000
const STEPS = [
  ['year', 365 * 86_400 * SECOND],
  ['month', 30 * 86_400 * SECOND],
  ['week', 7 * 86_400 * SECOND],
  ['day', 86_400 * SECOND],
  ['hour', 3_600 * SECOND],
  ['minute', 60 * SECOND],
] as const
const WAITS = STEPS.filter(([unit]) => unit === 'hour' || unit === 'minute')

export const formatNumber = (value: number): string => NUMBER().format(value)

/** Formats a number with one decimal, such as `4.0`. */
export const formatOneDecimal = (value: number): string => ONE_DECIMAL().format(value)

/** Formats a score with two decimals, such as `0.53`. */
export const formatScore = (score: number): string => TWO_DECIMALS().format(score)

/** Formats a share from 0 to 1 as `66.7%`. */
export const formatPercent = (share: number): string => PERCENT().format(share)

/** Formats milliseconds as `8.4 ms`, `840 ms` or `8.4 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds >= SECOND) return `${ONE_DECIMAL().format(milliseconds / SECOND)} s`
  return `${milliseconds >= 100 ? NUMBER().format(Math.round(milliseconds)) : ONE_DECIMAL().format(milliseconds)} ms`
}

/** Formats a waiting time as `40 seconds` or `3 hours`. Rounds up. */
export function formatWait(milliseconds: number): string {
  const [unit, length] =
    WAITS.find(([, length]) => milliseconds > 2 * length) ?? (['second', SECOND] as const)
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.ceil(milliseconds / length))
}

/** Formats a number in compact notation, such as `1.2M`. */
export const formatCompact = (value: number): string => COMPACT().format(value)

/** Formats the month of a time as `October 2026`. */
export const formatMonth = (time: Date): string => MONTH().format(time)

export const formatDate = (time: string): string => DATE().format(new Date(time))

export const formatTime = (time: string): string => DATE_TIME().format(new Date(time))

/** Formats a UTC day such as `2026-01-31` as `Jan 31`. */
export const formatDay = (day: string): string => DAY().format(new Date(day))

/** Formats a time relative to now, such as `3 hours ago`. */
export function formatAgo(time: string, now = Date.now()): string {
  const passed = new Date(time).getTime() - now
  const step = STEPS.find(([, length]) => Math.abs(passed) >= length)
  return step ? RELATIVE().format(Math.round(passed / step[1]), step[0]) : t('justNow')
}

/** Formats a size as `12.4 MB`. Units are powers of 1024. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${value >= 100 || power === 0 ? Math.round(value) : ONE_DECIMAL().format(value)} ${units[power]}`
}

/** Formats credits. Values of 10 or more have no decimals. */
export const formatCredits = (credits: number): string =>
  NUMBER().format(Math.abs(credits) >= 10 ? Math.round(credits) : Math.round(credits * 100) / 100)

/** Formats a list of names, such as `Ada, Ben, and Cleo`. */
export const formatList = (items: readonly string[]): string => LIST().format(items)

function once<Value>(create: () => Value): () => Value {
  let created: Value | undefined
  return () => (created ??= create())
}
