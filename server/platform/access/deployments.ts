import type { Database } from '#database/connect.ts'
import { grouped } from '#database/grouped.ts'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { fail } from '#errors'
import type { DeploymentCredential } from './credentials.ts'
import type { Permission } from './permissions.ts'
import type { Client, OpenDeployment, Scope } from './scope.ts'
import { scopeDatabase } from './scoped-database.ts'

/** What a deployment may do: talk to its agent. */
const HELD: readonly string[] = ['chats:write', 'agent:execute'] satisfies Permission[]
/** The most deployments that are looked up in one statement. */
const GROUP_MAX = 100

interface Found {
  id: string
  organizationId: string
  agentId: string
  type: OpenDeployment['type']
  config: DeploymentConfig
  status: 'active' | 'paused'
  visitorUserId: string
}

/**
 * Opens deployments by what is shown for them. Read at every request, so that a new key, a pause and a deletion hold
 * from the next one on, on every instance. Throws auth.invalid_token, deployment.paused.
 */
export function createDeploymentAccess({ sql, db }: Database) {
  const lookUp = grouped<DeploymentCredential, Found | null>(async (group) => {
    const rows = await sql<(Found & { place: number })[]>`
      select wanted.place, d.id, d.organization_id as "organizationId", d.agent_id as "agentId",
        d.deployment_type as type, d.config, d.status, d.visitor_user_id as "visitorUserId"
      from json_to_recordset(${JSON.stringify(group.map(toRow))}::text::json)
        as wanted (place int, key_hash text, deployment_id uuid)
      join agent_deployments d on d.key_hash = wanted.key_hash or d.id = wanted.deployment_id
      join organizations o on o.id = d.organization_id and o.closed_at is null`
    const found = new Map(rows.map((row) => [row.place, row]))
    return group.map((_, place) => found.get(place) ?? null)
  }, GROUP_MAX)

  return async (credential: DeploymentCredential, client: Client): Promise<OpenDeployment> => {
    const found = await lookUp(credential)
    if (!found) throw fail('auth.invalid_token')
    const visitorId = credential.kind === 'visitor' ? credential.visitorId : null
    await client.admit?.(visitorId === null ? `deployment:${found.id}` : `visitor:${found.id}:${visitorId}`)
    if (found.status === 'paused') throw fail('deployment.paused')
    const { id, organizationId, agentId, type, config, visitorUserId: userId } = found
    const owner = { organizationId, userId, apiKeyId: null, client }
    const scope = {
      ...owner,
      role: { id, name: 'deployment', level: 0 },
      holds: (permission: string) => HELD.includes(permission),
      sessionId: null,
      ...scopeDatabase(db, owner),
    } as unknown as Scope<'chats:write'>
    return { id, organizationId, agentId, type, config, visitorId, scope }
  }
}

const toRow = (credential: DeploymentCredential, place: number) => ({
  place,
  key_hash: credential.kind === 'deployment key' ? credential.keyHash : null,
  deployment_id: credential.kind === 'visitor' ? credential.deploymentId : null,
})
