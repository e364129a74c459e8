import { sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { Route } from '#platform/http/define-route.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { RunnableTool } from '#platform/models/index.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import type { KnowledgeBases, Passage } from '../kb/index.ts'
import type { ModelFinder, Preparation } from '../llm/index.ts'
import type { Mcp } from '../mcp/index.ts'
import type { Tools } from '../tools/index.ts'
import { AgentFinder, type ListedAgent, type ReadyAgent } from './find-agents-system.ts'
import { prepareRequest } from './prepare-request.ts'
import { agentRoutes } from './routes.ts'
import { openAgentTools } from './shared-tools.ts'

export type { ListedAgent, ReadyAgent } from './find-agents-system.ts'
export { findTarget, payerOf, type Sender, type Target, type TargetId } from './find-target.ts'
export { NewAgent } from './schemas.ts'
export { sharedToolsBudget } from './shared-tools.ts'
export { agentTables } from './tables.ts'

/** What those hear who let somebody else's agent answer, visitors too, when its model fails: why is no matter of theirs. */
export const FOREIGN_FAILED = sentence('agent.foreign_failed')

export interface Agents {
  routes: Route[]
  /** The organization's own or a public one. Throws agent.not_found, agent.inactive, llm.inactive, llm.not_configured. */
  find(organizationId: string, agentId: string): Promise<ReadyAgent>
  /** By id; or by name, the organization's own. */
  findNamed(organizationId: string, nameOrId: string): Promise<ReadyAgent>
  /**
   * The passages of the agent's knowledge bases that fit a question best, best first, paid by whoever asks. Throws
   * billing.insufficient_credits.
   */
  retrieve(agent: ReadyAgent, payer: Payer, query: string): Promise<Passage[]>
  /** Its own tools and those that are shared with it, whose servers may be asked: once its reply has been admitted. */
  openTools(agent: ReadyAgent, request: ModelRequest, signal: AbortSignal): Promise<RunnableTool[]>
  /**
   * A conversation as the agent's model is asked it, with what its knowledge bases say, which is found now, and with all
   * its tools, which are opened once the call has been admitted. Throws what `retrieve` throws.
   */
  prepare(agent: ReadyAgent, payer: Payer, original: ModelRequest): Promise<Preparation>
  /** The organization's own active agents, oldest first, so many at most. */
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
      return async (signal) => ({ request, tools: await openTools(agent, request, signal) })
    },
    listActive: ({ organizationId }, limit) => finder.listActive(organizationId, limit),
  }
}
