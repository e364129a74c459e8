import type { Scope } from '#platform/access/scope.ts'
import { periodOf, totalOf, usageSums } from '#platform/ledger/usage-days.ts'
import type { UsageView } from './schemas.ts'

/**
 * Returns a deployment's usage per day (UTC). The period includes its first and its last day. Throws request.invalid.
 */
export async function readUsage(
  scope: Scope<'agent:read'>,
  { deployment_id: id, ...asked }: { deployment_id: string; from?: string; to?: string },
): Promise<UsageView> {
  const { from, to } = periodOf(asked)
  const daily = await scope.sql<UsageView['daily']>`
    select to_char(d.day, 'YYYY-MM-DD') as date, ${usageSums(scope.sql)}
    from generate_series(${from}::text::timestamp, ${to}::text::timestamp, interval '1 day') as d (day)
    left join usage_days u on u.organization_id = ${scope.organizationId} and u.deployment_id = ${id}
      and u.day = d.day::date
    group by d.day order by d.day`
  return { deployment_id: id, from, to, totals: totalOf(daily), daily: [...daily] }
}
