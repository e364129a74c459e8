import type { Database } from '#database/connect.ts'
import type { Features } from '#database/schema/org.ts'
import { systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { withDefaults } from '#platform/limits/features.ts'
import { countMcpSessions } from '../mcp/index.ts'
import type { FeaturesInUse } from './schemas.ts'

/**
 * Returns the organization's features and limits with their current usage, for a member with `organization:read` or
 * the system administrator. Throws org.not_found.
 */
export async function readFeaturesInUse(database: Database, organizationId: string): Promise<FeaturesInUse> {
  const [row] = await systemSql(database)<
    { features: Features; usage: Omit<FeaturesInUse['usage'], 'mcp_sessions'> }[]
  >`
    select o.features, json_build_object(
      'messages_today', case when a.messages_day >= (now() at time zone 'utc')::date then a.messages_taken else 0 end,
      'stored_bytes', o.stored_bytes,
      'members', (select count(*) from memberships m where m.organization_id = o.id and m.status <> 'deleted')) as usage
    from organizations o left join credit_accounts a on a.organization_id = o.id
    where o.id = ${organizationId} and o.closed_at is null`
  if (!row) throw fail('org.not_found', { value: organizationId })
  const { features, usage } = row
  return {
    ...withDefaults(features),
    usage: { ...usage, mcp_sessions: await countMcpSessions(database, organizationId) },
  }
}
