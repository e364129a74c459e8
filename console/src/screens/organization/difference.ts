import { formatTime } from '../../ui/format.ts'

type Values = Record<string, unknown>

export interface Difference {
  field: string
  /** Undefined: there was, or is, nothing. */
  before: string | undefined
  after: string | undefined
}

/** What differs between two sides of a record, field by field, in words that can be read. */
export function differencesOf(before: Values | null, after: Values | null): Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields
    .filter((field) => !UNINTERESTING.includes(field))
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((one) => one.before !== one.after)
}

/** Says what the entry says already, or counts for itself. */
const UNINTERESTING = ['created_by', 'last_sequence']

/** As the server writes one. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return MOMENT.test(value) ? formatTime(value) : value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return value.toLocaleString()
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    if (value.every((one) => typeof one === 'string')) return value.join(', ')
  }
  return JSON.stringify(value, null, 2)
}
