import type { Database } from '#database/connect.ts'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { systemSql } from '#database/system-sql.ts'

/** The part of a deployment that web pages may see. */
export interface PublicDeployment {
  id: string
  name: string
  type: 'widget' | 'iframe'
  status: 'active' | 'paused' | 'suspended'
  config: DeploymentConfig
}

/**
 * Finds a deployment that web pages may show. Returns null if the id is unknown or the deployment's type is `api`.
 */
export type FindPublicDeployment = (id: string) => Promise<PublicDeployment | null>

/** Looks up deployments by id without a credential. The id is not secret, because web pages contain it. */
export const createPublicDeployments =
  (database: Database): FindPublicDeployment =>
  async (id) => {
    const [found] = await systemSql(database)<PublicDeployment[]>`
      select d.id, d.name, d.deployment_type as type, d.config,
        case when o.suspended_at is null then d.status else 'suspended' end as status
      from agent_deployments d join organizations o on o.id = d.organization_id
      where d.id = ${id} and d.deployment_type <> 'api'`
    return found ?? null
  }
