import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import { AgentTools } from './agent-tools.ts'
import { toolRoutes } from './routes.ts'

export type { AgentToolInput, AgentToolView, StoredAgentTool } from './agent-tools.ts'
export { checkTool } from './manage-tools.ts'
export { NewCategory, NewTool } from './schemas.ts'
export { toolTables } from './tables.ts'
export { NO_CONFIG, sealConfig } from './tool-config.ts'

export interface Tools extends Pick<AgentTools, 'prepare' | 'view' | 'open'> {
  routes: Route[]
}

export function createTools(services: Services): Tools {
  const ofAgents = new AgentTools(services)
  return {
    routes: toolRoutes(services),
    prepare: (...input) => ofAgents.prepare(...input),
    view: (...stored) => ofAgents.view(...stored),
    open: (...stored) => ofAgents.open(...stored),
  }
}
