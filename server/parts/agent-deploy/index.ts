import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import type { DeploymentChats } from '../chat/index.ts'
import { manageRoutes } from './manage-routes.ts'
import { createPublicDeployments, type FindPublicDeployment } from './public-deployments-system.ts'
import { visitorRoutes } from './visitor-routes.ts'

export { checkConfig } from './check-config.ts'
export { newKey } from './manage-deployments.ts'
export { NewDeployment } from './schemas.ts'
export { registerWidget } from './serve-widget.ts'
export { deploymentTables } from './tables.ts'

export interface AgentDeploy {
  routes: Route[]
  findPublicDeployment: FindPublicDeployment
}

/**
 * Creates the routes of agents' deployments. Programs use a deployment with its key, and anonymous visitors use it on
 * web pages.
 */
export function createAgentDeploy(services: Services, chats: DeploymentChats): AgentDeploy {
  const findPublicDeployment = createPublicDeployments(services.database)
  return {
    routes: [...manageRoutes(services, chats), ...visitorRoutes({ services, chats, findPublicDeployment })],
    findPublicDeployment,
  }
}
