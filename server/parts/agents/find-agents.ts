import type { Sql } from 'postgres'
import { grouped } from '#database/grouped.ts'
import { UUID } from '#database/new-id.ts'
import type { AgentParams } from '#database/schema/agents.ts'
import { AppError, fail } from '#errors'
import type { RunnableTool } from '#platform/models/tool-loop.ts'
import { type ModelFinder, modelAsJson, type ResolvedModel, type StoredModel } from '../llm/index.ts'
import type { Mcp } from '../mcp/index.ts'
import type { StoredAgentTool, Tools } from '../tools/index.ts'

/** An agent that can be talked to. */
export interface ReadyAgent {
  id: string
  name: string
  /** Whose it is; a foreign caller is shown nothing of what it is made of (no citations). */
  organizationId: string
  isForeign: boolean
  model: ResolvedModel
  /** The system prompt; may be empty. */
  system: string
  temperature: number | undefined
  maxTokens: number | undefined
  tools: RunnableTool[]
  knowledgeBaseIds: string[]
}

/** An agent as a list shows it. */
export interface ListedAgent {
  id: string
  name: string
  description: string
}

interface StoredAgent {
  id: string
  organizationId: string
  name: string
  isPublic: boolean
  isActive: boolean
  params: AgentParams
  model: StoredModel
  tools: StoredAgentTool[]
  knowledgeBaseIds: string[]
  /** Whether anybody has shared a connection to an MCP server with it. */
  usesMcp: boolean
}

/** openTools leaves out servers that take longer than 10 seconds; beyond this the message is refused. */
const MCP_TIMEOUT_MS = 15_000
/** The most agents that are looked up in one statement. */
const GROUP_MAX = 100

/** Finds the agents that an organization may talk to: its own, and public ones. */
export class AgentFinder {
  readonly #sql: Sql
  readonly #models: ModelFinder
  readonly #tools: Tools
  readonly #mcp: Pick<Mcp, 'findShared' | 'openTools'>
  readonly #read: (agentId: string) => Promise<StoredAgent | undefined>

  constructor(sql: Sql, models: ModelFinder, tools: Tools, mcp: Pick<Mcp, 'findShared' | 'openTools'>) {
    this.#sql = sql
    this.#models = models
    this.#tools = tools
    this.#mcp = mcp
    this.#read = grouped((agentIds) => readAgents(sql, agentIds), GROUP_MAX)
  }

  /**
   * An agent with what it takes to let it answer: one query, one more where it has tools, and one where it uses
   * connections to MCP servers, which are asked for their tools now; not for foreign callers, who are strangers to the
   * owners of these connections. Throws agent.not_found, agent.inactive, llm.inactive, llm.not_configured; the last two
   * are agent.inactive to a foreign caller, whom the model is no matter of.
   */
  async find(organizationId: string, agentId: string): Promise<ReadyAgent> {
    const agent = await this.#read(agentId)
    const isForeign = agent?.organizationId !== organizationId
    if (!agent || (isForeign && !agent.isPublic)) throw fail('agent.not_found')
    if (!agent.isActive) throw fail('agent.inactive')
    const { id, name, params } = agent
    const model = this.#openModel(agent.model, isForeign)
    const tools = agent.tools.length === 0 ? [] : await this.#tools.open(agent, agent.tools, organizationId)
    const usesMcp = agent.usesMcp && !isForeign && model.capabilities.includes('tools')
    return {
      id,
      name,
      organizationId: agent.organizationId,
      isForeign,
      model,
      system: params.system_prompt ?? '',
      temperature: params.temperature,
      maxTokens: params.max_tokens,
      tools: usesMcp ? [...tools, ...(await this.#openShared(id, tools))] : tools,
      knowledgeBaseIds: agent.knowledgeBaseIds,
    }
  }

  /**
   * The same by an agent's id, or by the name of one of the organization's own in any case of letters. A public one of
   * others goes by its id alone: its name is whatever its makers have called it, perhaps to be taken for another.
   */
  async findNamed(organizationId: string, nameOrId: string): Promise<ReadyAgent> {
    if (UUID.test(nameOrId)) return this.find(organizationId, nameOrId.toLowerCase())
    const [row] = await this.#sql<{ id: string }[]>`
      select id from agents where organization_id = ${organizationId} and lower(name) = lower(${nameOrId})`
    if (!row) throw fail('agent.not_found')
    return this.find(organizationId, row.id)
  }

  /** A server that fails is left out. What is called like one of the agent's own tools gets its server's name before it. */
  async #openShared(agentId: string, own: readonly RunnableTool[]): Promise<RunnableTool[]> {
    const instances = await this.#mcp.findShared(agentId)
    if (instances.length === 0) return []
    const names = own.map(({ definition }) => definition.name)
    const { tools } = await this.#mcp.openTools(instances, AbortSignal.timeout(MCP_TIMEOUT_MS), {
      reserved: names,
    })
    return tools
  }

  listActive(organizationId: string, limit: number): Promise<ListedAgent[]> {
    return this.#sql<ListedAgent[]>`
      select id, name, description from agents
      where organization_id = ${organizationId} and is_active order by id limit ${limit}`
  }

  #openModel(model: StoredModel, isForeign: boolean): ResolvedModel {
    try {
      return this.#models.open(model)
    } catch (error) {
      throw isForeign && error instanceof AppError ? fail('agent.inactive', {}, { cause: error }) : error
    }
  }
}

/** By hand and for all that wait, since every message to an agent needs one (see grouped); each agent once. */
async function readAgents(sql: Sql, agentIds: string[]): Promise<(StoredAgent | undefined)[]> {
  const rows = await sql<StoredAgent[]>`
    select a.id, a.organization_id as "organizationId", a.name, a.is_public as "isPublic",
      a.is_active as "isActive", a.params, ${modelAsJson(sql)} as model,
      (select coalesce(json_agg(json_build_object('toolId', tool_id, 'config', config) order by position), '[]')
        from agent_tools where agent_id = a.id) as tools,
      array(select kb_id from agent_knowledge_bases where agent_id = a.id order by position) as "knowledgeBaseIds",
      exists (select from agent_mcp_instances where agent_id = a.id) as "usesMcp"
    from agents a
    join llm_models m on m.id = a.model_id
      and (m.organization_id = a.organization_id or m.organization_id is null)
    where a.id = any(${[...new Set(agentIds)]}::uuid[])`
  const found = new Map(rows.map((row) => [row.id, row]))
  return agentIds.map((id) => found.get(id))
}
