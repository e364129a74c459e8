import { translator } from '../../messages/index.ts'
import { formatNumber, formatTime } from '../../ui/format.ts'

const t = translator('audit')

type Values = Record<string, unknown>

export interface Difference {
  field: string
  /** The value as text. Undefined if the field has no value. */
  before: string | undefined
  after: string | undefined
}

/** Returns the fields that differ between two states of a record. The values are formatted as text. */
export function differencesOf(before: Values | null, after: Values | null): Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields
    .filter((field) => !UNINTERESTING.includes(field))
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((one) => one.before !== one.after)
}

/**
 * Fields to omit: `created_by` repeats the entry's user, and `last_sequence` changes with every delivery of a
 * webhook.
 */
const UNINTERESTING = ['created_by', 'last_sequence']

/** The format of timestamps in the API. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return MOMENT.test(value) ? formatTime(value) : value
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (typeof value === 'number') return formatNumber(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    if (value.every((one) => typeof one === 'string')) return value.join(', ')
  }
  return JSON.stringify(value, null, 2)
}
