import type { Config } from '#config'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { csvFile } from '#platform/http/csv.ts'
import type { File } from '#platform/http/define-route.ts'
import { periodOf, totalOf, usageSums } from '#platform/ledger/usage-days.ts'
import { type UsageRow, type UsageView, withCost } from './schemas.ts'

/** The dimensions that usage can be grouped by, and the columns of each. */
const COLUMNS = {
  day: ['day'],
  model: ['model_id', 'model_name'],
  user: ['user_id', 'user_email'],
  agent: ['agent_id', 'agent_name'],
  deployment: ['deployment_id', 'deployment_name'],
  api_key: ['api_key_id', 'api_key_name'],
} as const
type Group = keyof typeof COLUMNS

const SUMS = ['messages', 'input_tokens', 'output_tokens', 'credits'] as const
/** @limit fields by which usage is grouped */
const GROUPS_MAX = 3
/** @limit rows of a usage report */
const ROWS_MAX = 10_000

interface UsageQuery {
  from?: string
  to?: string
  group_by?: string
}

/**
 * Returns an organization's usage between two days, as groups and in total. Groups are sorted by day. If they have no
 * day, they are sorted by cost, highest first. Adds the names of models, users, agents, deployments and API keys that
 * the organization may see. Throws request.invalid.
 */
export async function readUsage(
  scope: Scope<'organization:read'>,
  query: UsageQuery,
  price: Config['creditPrice'],
): Promise<UsageView> {
  const { from, to } = periodOf(query)
  const groups = groupsOf(query.group_by)
  const rows = await readRows(scope, { from, to, groups })
  if (rows.length > ROWS_MAX)
    throw fail('request.invalid', {
      reason: sentence('usage.too_many_rows', { limit: ROWS_MAX }),
    })
  const columns = columnsOf(groups)
  const views = rows.map((row) => ({
    ...Object.fromEntries(columns.map((column) => [column, row[column as keyof ReadRow]])),
    ...withCost(row.credits, price),
  })) as UsageRow[]
  const totals = totalOf(rows)
  return {
    from,
    to,
    group_by: groups,
    totals: { ...totals, ...withCost(totals.credits, price) },
    rows: views,
  }
}

export function usageFile({ from, to, group_by: groups, rows }: UsageView): File {
  const lines = rows.map(({ cost: _cost, ...row }) => row)
  return csvFile(`usage-${from}-${to}.csv`, columnsOf(groups), lines)
}

const columnsOf = (groups: readonly Group[]): string[] => [
  ...groups.flatMap((group): readonly string[] => COLUMNS[group]),
  ...SUMS,
]

function groupsOf(text = 'day'): Group[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  if (!names.every((name) => Object.hasOwn(COLUMNS, name)) || names.length > GROUPS_MAX) {
    const known = Object.keys(COLUMNS).join(', ')
    throw fail('request.invalid', {
      reason: sentence('usage.group_by', { limit: GROUPS_MAX, groups: known }),
    })
  }
  return names as Group[]
}

/** A row of grouped usage. Columns of dimensions that the query doesn't group by are null. */
type ReadRow = Omit<UsageRow, 'day'> & { day: string | null }

/** Reads up to one row more than the maximum, so that the caller detects a result that is too large. */
function readRows(
  { sql, organizationId }: Scope<'organization:read'>,
  { from, to, groups }: { from: string; to: string; groups: Group[] },
): Promise<ReadRow[]> {
  const by = (group: Group) => sql`${groups.includes(group)}::boolean`
  return sql<ReadRow[]>`
    with sums as (
      select case when ${by('day')} then to_char(u.day, 'YYYY-MM-DD') end as day,
        case when ${by('model')} then u.model_id end as model_id,
        case when ${by('user')} then u.user_id end as user_id,
        case when ${by('agent')} then u.agent_id end as agent_id,
        case when ${by('deployment')} then u.deployment_id end as deployment_id,
        case when ${by('api_key')} then u.api_key_id end as api_key_id,
        ${usageSums(sql)}
      from usage_days u
      where u.organization_id = ${organizationId} and u.day between ${from}::text::date and ${to}::text::date
      group by 1, 2, 3, 4, 5, 6)
    select sums.*, m.name as model_name, p.email as user_email, a.name as agent_name, d.name as deployment_name,
      k.name as api_key_name
    from sums
    left join llm_models m on m.id = sums.model_id
      and (m.organization_id = ${organizationId} or m.organization_id is null)
    left join memberships s on s.organization_id = ${organizationId} and s.user_id = sums.user_id
    left join users p on p.id = s.user_id
    left join agents a on a.id = sums.agent_id and (a.organization_id = ${organizationId} or a.is_public)
    left join agent_deployments d on d.id = sums.deployment_id and d.organization_id = ${organizationId}
    left join api_keys k on k.id = sums.api_key_id and k.organization_id = ${organizationId}
    order by sums.day, sums.credits desc, model_id, sums.user_id, agent_id, deployment_id, api_key_id
    limit ${ROWS_MAX + 1}`
}
