import type { Scope } from '#platform/access/scope.ts'
import type { Route } from '#platform/http/define-route.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import type { Rooms } from '#platform/rooms.ts'
import type { KnowledgeBases, Passage } from '../kb/index.ts'
import type { ModelFinder } from '../llm/index.ts'
import type { Mcp } from '../mcp/index.ts'
import type { Tools } from '../tools/index.ts'
import { AgentFinder, type ListedAgent, type ReadyAgent } from './find-agents.ts'
import { prepareRequest } from './prepare-request.ts'
import { agentRoutes } from './routes.ts'

export type { ListedAgent, ReadyAgent } from './find-agents.ts'

/** What those hear who let somebody else's agent answer, visitors too, when its model fails: why is no matter of theirs. */
export const FOREIGN_FAILED = 'This agent could not answer. Please try again, or tell those who made it.'

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
  /** A conversation as the agent's model is asked it, with what its knowledge bases say. Throws what `retrieve` throws. */
  prepare(agent: ReadyAgent, payer: Payer, asked: ModelRequest): Promise<ModelRequest>
  /** The organization's own active agents, oldest first, so many at most. */
  listActive(scope: Scope<'agent:execute'>, limit: number): Promise<ListedAgent[]>
}

export function createAgents(
  { database }: Pick<Rooms, 'database'>,
  models: ModelFinder,
  knowledge: Pick<KnowledgeBases, 'findPassages'>,
  tools: Tools,
  mcp: Pick<Mcp, 'findShared' | 'openTools'>,
): Agents {
  const finder = new AgentFinder(database.sql, models, tools, mcp)
  const retrieve: Agents['retrieve'] = async ({ organizationId, knowledgeBaseIds }, payer, query) =>
    knowledgeBaseIds.length === 0
      ? []
      : knowledge.findPassages(payer, { organizationId, knowledgeBaseIds, query })
  return {
    routes: agentRoutes({ database, models, tools }),
    find: (organizationId, agentId) => finder.find(organizationId, agentId),
    findNamed: (organizationId, nameOrId) => finder.findNamed(organizationId, nameOrId),
    retrieve,
    prepare: (agent, payer, asked) => prepareRequest(retrieve, agent, payer, asked),
    listActive: ({ organizationId }, limit) => finder.listActive(organizationId, limit),
  }
}
