import type { Database } from '#database/connect.ts'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { systemSql } from '#database/system-sql.ts'

/** Public information about a deployment on web pages. */
export interface PublicDeployment {
  id: string
  name: string
  type: 'widget' | 'iframe'
  status: 'active' | 'paused'
  config: DeploymentConfig
}

/** Finds a deployment that web pages may show; null for an unknown id and for type api. */
export type FindPublicDeployment = (id: string) => Promise<PublicDeployment | null>

/** Needs no credential: the id is public, because it is part of the page. */
export const createPublicDeployments =
  (database: Database): FindPublicDeployment =>
  async (id) => {
    const [found] = await systemSql(database)<PublicDeployment[]>`
      select id, name, deployment_type as type, status, config from agent_deployments
      where id = ${id} and deployment_type <> 'api'`
    return found ?? null
  }
