import { grouped } from '#database/grouped.ts'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { fail } from '#errors'
import { setOrganization } from '#platform/telemetry/running.ts'
import type { DeploymentCredential } from './credentials.ts'
import type { Permission } from './permissions.ts'
import type { Client, OpenDeployment, Scope } from './scope.ts'
import { type ScopeSource, scopeDatabase } from './scoped-database.ts'

/** Permissions of a deployment's scope, for chatting with the deployment's agent. */
const PERMISSIONS: readonly string[] = ['chats:write', 'agent:execute'] satisfies Permission[]
/** Maximum number of deployments looked up in one statement. */
const GROUP_MAX = 100

interface FoundDeployment {
  id: string
  organizationId: string
  agentId: string
  type: OpenDeployment['type']
  config: DeploymentConfig
  status: 'active' | 'paused'
  visitorUserId: string
  isSuspended: boolean
}

/**
 * Creates a function that opens a deployment by its credential. The function reads the database for each request, so
 * a new key, a pause, a suspension or a deletion applies to the next request in every process. Throws
 * auth.invalid_token, deployment.paused, deployment.suspended.
 */
export function createDeploymentAccess(source: ScopeSource) {
  const { sql } = source.database
  const lookUp = grouped<DeploymentCredential, FoundDeployment | null>(async (group) => {
    const rows = await sql<(FoundDeployment & { ordinal: number })[]>`
      select requested.ordinal, d.id, d.organization_id as "organizationId", d.agent_id as "agentId",
        d.deployment_type as type, d.config, d.status, d.visitor_user_id as "visitorUserId",
        o.suspension_reason is not null as "isSuspended"
      from json_to_recordset(${JSON.stringify(group.map(toRow))}::text::json)
        as requested (ordinal int, key_hash text, deployment_id uuid)
      join agent_deployments d on d.key_hash = requested.key_hash or d.id = requested.deployment_id
      join organizations o on o.id = d.organization_id and o.closed_at is null`
    const found = new Map(rows.map((row) => [row.ordinal, row]))
    return group.map((_, ordinal) => found.get(ordinal) ?? null)
  }, GROUP_MAX)

  return async (credential: DeploymentCredential, client: Client): Promise<OpenDeployment> => {
    const found = await lookUp(credential)
    if (!found) throw fail(credential.kind === 'visitor' ? 'auth.invalid_token' : 'auth.invalid_key')
    const visitorId = credential.kind === 'visitor' ? credential.visitorId : null
    await client.admit?.(visitorId === null ? `deployment:${found.id}` : `visitor:${found.id}:${visitorId}`)
    if (found.isSuspended) throw fail('deployment.suspended')
    if (found.status === 'paused') throw fail('deployment.paused')
    const { id, organizationId, agentId, type, config, visitorUserId: userId } = found
    setOrganization(organizationId)
    const owner = { organizationId, userId, apiKeyId: null, client }
    const scope = {
      ...owner,
      role: { id, name: 'deployment', level: 0 },
      holds: (permission: string) => PERMISSIONS.includes(permission),
      sessionId: null,
      ...scopeDatabase(source, owner),
    } as unknown as Scope<'chats:write'>
    return { id, organizationId, agentId, type, config, visitorId, scope }
  }
}

const toRow = (credential: DeploymentCredential, ordinal: number) => ({
  ordinal,
  key_hash: credential.kind === 'deployment key' ? credential.keyHash : null,
  deployment_id: credential.kind === 'visitor' ? credential.deploymentId : null,
})
