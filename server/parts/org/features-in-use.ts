import type { Database } from '#database/connect.ts'
import type { Features } from '#database/schema/org.ts'
import type { Scope } from '#platform/access/scope.ts'
import { withDefaults } from '#platform/limits/features.ts'
import { countMcpSessions } from '../mcp/index.ts'
import type { FeaturesInUse } from './schemas.ts'

/** Returns the organization's features and limits with their current usage. */
export async function readFeaturesInUse(
  database: Database,
  { sql, organizationId }: Scope<'organization:read'>,
): Promise<FeaturesInUse> {
  const [row] = await sql<{ features: Features; usage: Omit<FeaturesInUse['usage'], 'mcp_sessions'> }[]>`
    select o.features, json_build_object(
      'messages_today', case when a.messages_day >= (now() at time zone 'utc')::date then a.messages_taken else 0 end,
      'stored_bytes', o.stored_bytes,
      'members', (select count(*) from memberships m where m.organization_id = o.id and m.status <> 'deleted')) as usage
    from organizations o left join credit_accounts a on a.organization_id = o.id
    where o.id = ${organizationId}`
  const { features = {}, usage = { messages_today: 0, stored_bytes: 0, members: 0 } } = row ?? {}
  return {
    ...withDefaults(features),
    usage: { ...usage, mcp_sessions: await countMcpSessions(database, organizationId) },
  }
}
