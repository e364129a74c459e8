import type { ISql, PendingQuery, Row } from 'postgres'
import { fail, sentence } from '#errors'
import { DAY_MS, dateOf } from '#platform/limits/calendar.ts'

/*
 * Reads usage from daily sums, so that the cost does not depend on the number of ledger entries. Statements that
 * close holds update the sums (hold-statements.ts).
 */

/** @limit period of a usage report */
const DAYS_MAX = 366
const DAYS_DEFAULT = 30

/** Sums of usage, as `usageSums` selects them. */
export interface UsageSums {
  messages: number
  input_tokens: number
  output_tokens: number
  credits: number
}

/**
 * SQL for sums over rows of `usage_days as u`. Model calls without output tokens, such as embeddings for a reply, do
 * not count as messages.
 */
export const usageSums = (sql: ISql): PendingQuery<Row[]> => sql`
  coalesce(sum(u.messages) filter (where u.output_tokens > 0), 0)::float8 as messages,
  coalesce(sum(u.input_tokens), 0)::float8 as input_tokens,
  coalesce(sum(u.output_tokens), 0)::float8 as output_tokens,
  coalesce(sum(u.credits), 0)::float8 as credits`

export function totalOf(rows: readonly UsageSums[]): UsageSums {
  const total = { messages: 0, input_tokens: 0, output_tokens: 0, credits: 0 }
  for (const row of rows) {
    total.messages += row.messages
    total.input_tokens += row.input_tokens
    total.output_tokens += row.output_tokens
    total.credits += row.credits
  }
  return total
}

/**
 * Returns a period of UTC days that includes its first and last day. Default: the last 30 days. Throws
 * request.invalid for an invalid date, a start after the end, or a period that is too long.
 */
export function periodOf({ from, to }: { from?: string; to?: string }): { from: string; to: string } {
  const last = to === undefined ? startOfDay(Date.now()) : parseDate('to', to)
  const first = from === undefined ? last - (DAYS_DEFAULT - 1) * DAY_MS : parseDate('from', from)
  if (first > last) throw fail('request.invalid', { reason: sentence('usage.from_after_to') })
  if (last - first >= DAYS_MAX * DAY_MS)
    throw fail('request.invalid', { reason: sentence('usage.too_many_days', { limit: DAYS_MAX }) })
  return { from: dateOf(first), to: dateOf(last) }
}

const startOfDay = (ms: number): number => ms - (ms % DAY_MS)

function parseDate(name: string, text: string): number {
  const ms = /^[12]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Date.parse accepts the 31st of any month and may return a day of the next month.
  if (Number.isNaN(ms) || dateOf(ms) !== text)
    throw fail('request.invalid', { reason: sentence('usage.date', { field: name }) })
  return ms
}
