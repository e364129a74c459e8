import type { Database } from '#database/connect.ts'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { systemSql } from '#database/system-sql.ts'

/** What anybody may know of a deployment that is on web pages. */
export interface PublicDeployment {
  id: string
  name: string
  type: 'widget' | 'iframe'
  status: 'active' | 'paused'
  config: DeploymentConfig
}

/** A deployment that web pages may show; null for an unknown one and one that only programs use. */
export type FindPublicDeployment = (id: string) => Promise<PublicDeployment | null>

/** For people whom nobody knows: whoever has the id may ask, as it stands in the page. */
export const createPublicDeployments =
  (database: Database): FindPublicDeployment =>
  async (id) => {
    const [found] = await systemSql(database)<PublicDeployment[]>`
      select id, name, deployment_type as type, status, config from agent_deployments
      where id = ${id} and deployment_type <> 'api'`
    return found ?? null
  }
