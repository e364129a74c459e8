import type { Sql } from 'postgres'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { UsageView } from './schemas.ts'

const DAYS_MAX = 366
const DAYS_DEFAULT = 30
const DAY_MS = 86_400_000

/**
 * What a deployment has used, day by day (UTC), with both ends: read from sums that are kept by day, so it costs the same
 * however much was written. Throws request.invalid.
 */
export async function readUsage(
  sql: Sql,
  scope: Scope<'agent:read'>,
  { deployment_id: id, ...asked }: { deployment_id: string; from?: string; to?: string },
): Promise<UsageView> {
  const { from, to } = periodOf(asked)
  // What an agent looks up for a reply is paid too, by models that write nothing: it is no reply of its own.
  const daily = await sql<UsageView['daily']>`
    select to_char(d.day, 'YYYY-MM-DD') as date,
      coalesce(sum(u.messages) filter (where u.output_tokens > 0), 0)::int as messages,
      coalesce(sum(u.input_tokens), 0)::float8 as input_tokens,
      coalesce(sum(u.output_tokens), 0)::float8 as output_tokens,
      coalesce(sum(u.credits), 0)::float8 as credits
    from generate_series(${from}::text::timestamp, ${to}::text::timestamp, interval '1 day') as d (day)
    left join usage_days u on u.organization_id = ${scope.organizationId} and u.deployment_id = ${id}
      and u.day = d.day::date
    group by d.day order by d.day`
  const sum = (of: (day: UsageView['daily'][number]) => number) =>
    daily.reduce((total, day) => total + of(day), 0)
  const totals = {
    messages: sum(({ messages }) => messages),
    input_tokens: sum((day) => day.input_tokens),
    output_tokens: sum((day) => day.output_tokens),
    credits: sum(({ credits }) => credits),
  }
  return { deployment_id: id, from, to, totals, daily: [...daily] }
}

function periodOf({ from, to }: { from?: string; to?: string }): { from: string; to: string } {
  const last = to === undefined ? startOfDay(Date.now()) : parseDate('to', to)
  const first = from === undefined ? last - (DAYS_DEFAULT - 1) * DAY_MS : parseDate('from', from)
  if (first > last) throw fail('request.invalid', { reason: 'from must not be after to' })
  if (last - first >= DAYS_MAX * DAY_MS)
    throw fail('request.invalid', { reason: `from and to may be ${DAYS_MAX} days apart at most` })
  return { from: dateOf(first), to: dateOf(last) }
}

const startOfDay = (ms: number): number => ms - (ms % DAY_MS)
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)

function parseDate(name: string, text: string): number {
  const ms = /^[12]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Date.parse takes the 31st of any month for a day of the next one.
  if (Number.isNaN(ms) || dateOf(ms) !== text)
    throw fail('request.invalid', { reason: `${name} must be a date such as 2026-01-31` })
  return ms
}
