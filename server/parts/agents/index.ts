import { reasonFor } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { Route } from '#platform/http/define-route.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import type { KnowledgeBases, Passage } from '../kb/index.ts'
import type { ModelFinder, UnpreparedRequest } from '../llm/index.ts'
import type { Mcp } from '../mcp/index.ts'
import type { Tools } from '../tools/index.ts'
import { AgentFinder, type ListedAgent, type ReadyAgent } from './find-agents-system.ts'
import { prepareRequest } from './prepare-request.ts'
import { agentRoutes } from './routes.ts'
import { type OpenedAgent, openAgentTools } from './shared-tools.ts'

export type { ListedAgent, ReadyAgent } from './find-agents-system.ts'
export { findTarget, payerOf, type Sender, type Target, type TargetId } from './find-target.ts'
export { NewAgent } from './schemas.ts'
export { type OpenedAgent, sharedToolsBudget } from './shared-tools.ts'
export { agentTables } from './tables.ts'

/**
 * Shown to visitors and to callers of other organizations if the agent's model fails. The actual reason is hidden
 * from them.
 */
export const FOREIGN_FAILED = reasonFor('agent.foreign_failed')

export interface Agents {
  routes: Route[]
  /**
   * Finds one of the organization's own agents or a public agent. Throws agent.not_found, agent.inactive,
   * llm.inactive, llm.not_configured.
   */
  find(organizationId: string, agentId: string): Promise<ReadyAgent>
  /** Finds an agent by id, or one of the organization's own agents by name. Throws the errors of `find`. */
  findNamed(organizationId: string, nameOrId: string): Promise<ReadyAgent>
  /**
   * Searches the agent's knowledge bases and returns the best passages, best first. Charges the payer. Throws
   * billing.insufficient_credits.
   */
  retrieve(agent: ReadyAgent, payer: Payer, query: string): Promise<Passage[]>
  /**
   * Opens the agent's own tools and the tools of shared MCP connections. Call it only after the reply has been
   * admitted, because it may send requests to the MCP servers.
   */
  openTools(agent: ReadyAgent, request: ModelRequest, signal: AbortSignal): Promise<OpenedAgent>
  /**
   * Prepares a request for the agent's model. Retrieves passages immediately; the returned preparation opens tools after
   * admission. Throws the errors of `retrieve`.
   */
  prepare(agent: ReadyAgent, payer: Payer, original: ModelRequest): Promise<UnpreparedRequest>
  /** Returns up to `limit` active agents of the organization, oldest first. */
  listActive(scope: Scope<'agent:execute'>, limit: number): Promise<ListedAgent[]>
}

export function createAgents(
  { database }: Pick<Services, 'database'>,
  models: ModelFinder,
  knowledge: Pick<KnowledgeBases, 'findPassages'>,
  tools: Tools,
  mcp: Pick<Mcp, 'openShared'>,
): Agents {
  const finder = new AgentFinder(database, models, tools)
  const retrieve: Agents['retrieve'] = async ({ organizationId, knowledgeBaseIds }, payer, query) =>
    knowledgeBaseIds.length === 0
      ? []
      : knowledge.findPassages(payer, { organizationId, knowledgeBaseIds, query })
  const openTools: Agents['openTools'] = (agent, request, signal) =>
    openAgentTools(mcp, agent, request, signal)
  return {
    routes: agentRoutes({ database, models, tools }),
    find: (organizationId, agentId) => finder.find(organizationId, agentId),
    findNamed: (organizationId, nameOrId) => finder.findNamed(organizationId, nameOrId),
    retrieve,
    openTools,
    async prepare(agent, payer, original) {
      const request = await prepareRequest(retrieve, agent, payer, original)
      const tools = [...(request.tools ?? []), ...agent.tools.map(({ definition }) => definition)]
      return { known: { ...request, tools }, prepare: (signal) => openTools(agent, request, signal) }
    },
    listActive: ({ organizationId }, limit) => finder.listActive(organizationId, limit),
  }
}
