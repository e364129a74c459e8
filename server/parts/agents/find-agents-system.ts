import type { Database } from '#database/connect.ts'
import { and, eq } from '#database/drizzle.ts'
import { grouped } from '#database/grouped.ts'
import { UUID } from '#database/new-id.ts'
import { type AgentParams, agents } from '#database/schema/agents.ts'
import { type SystemSql, systemDb, systemSql } from '#database/system-sql.ts'
import { AppError, fail } from '#errors'
import { isNotSuspended } from '#platform/access/suspension.ts'
import type { RunnableTool } from '#platform/models/tool-loop.ts'
import { type ModelFinder, modelAsJson, type ResolvedModel, type StoredModel } from '../llm/index.ts'
import type { StoredAgentTool, Tools } from '../tools/index.ts'
import type { AgentRow } from './schemas.ts'

/** An active agent, resolved for a caller. */
export interface ReadyAgent {
  id: string
  name: string
  /**
   * The organization that owns the agent. Callers of other organizations see none of the agent's contents, such as
   * citations.
   */
  organizationId: string
  isForeign: boolean
  model: ResolvedModel
  /** The system prompt. May be empty. */
  system: string
  temperature: number | undefined
  maxTokens: number | undefined
  /**
   * The agent's own tools. Tools of shared MCP connections are opened later, when the agent replies
   * (shared-tools.ts).
   */
  tools: RunnableTool[]
  /** Approximate size of the shared MCP connections' tools in a prompt, in bytes. 0 if there are none. */
  sharedToolsBytes: number
  knowledgeBaseIds: string[]
}

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
  sharedToolsBytes: number
}

/** Assumed size of an MCP server's tools if they were never listed. */
const UNREAD_TOOLS_BYTES = 16 * 1024
const GROUP_MAX = 100

/** Finds agents that an organization may use: its own agents and public agents. */
export class AgentFinder {
  readonly #sql: SystemSql
  readonly #models: ModelFinder
  readonly #tools: Tools
  readonly #read: (agentId: string) => Promise<StoredAgent | undefined>

  constructor(database: Database, models: ModelFinder, tools: Tools) {
    const sql = systemSql(database)
    this.#sql = sql
    this.#models = models
    this.#tools = tools
    this.#read = grouped((agentIds) => readAgents(sql, agentIds), GROUP_MAX)
  }

  /**
   * Finds an agent, and resolves everything that it needs to reply. Runs one query, and a second query if the agent
   * has tools of its own. For callers of other organizations, leaves out the tools of shared MCP connections. Throws
   * agent.not_found, agent.inactive, llm.inactive, llm.not_configured. Callers of other organizations get
   * agent.inactive instead of the `llm` errors, because the model is hidden from them.
   */
  async find(organizationId: string, agentId: string): Promise<ReadyAgent> {
    const agent = await this.#read(agentId)
    const isForeign = agent?.organizationId !== organizationId
    if (!agent || (isForeign && !agent.isPublic)) throw fail('agent.not_found', { value: agentId })
    if (!agent.isActive) throw fail('agent.inactive')
    const { id, name, params } = agent
    const model = this.#openModel(agent.model, organizationId, isForeign)
    const tools = agent.tools.length === 0 ? [] : await this.#tools.open(agent, agent.tools, organizationId)
    const usesShared = !isForeign && model.capabilities.includes('tools')
    return {
      id,
      name,
      organizationId: agent.organizationId,
      isForeign,
      model,
      system: params.system_prompt ?? '',
      temperature: params.temperature,
      maxTokens: params.max_tokens,
      tools,
      sharedToolsBytes: usesShared ? agent.sharedToolsBytes : 0,
      knowledgeBaseIds: agent.knowledgeBaseIds,
    }
  }

  /**
   * Finds an agent by id, or one of the organization's own agents by name, ignoring case. Public agents of other
   * organizations are found only by id, because any organization could choose a misleading name. Throws the errors of
   * `find`.
   */
  async findNamed(organizationId: string, nameOrId: string): Promise<ReadyAgent> {
    if (UUID.test(nameOrId)) return this.find(organizationId, nameOrId.toLowerCase())
    const [row] = await this.#sql<{ id: string }[]>`
      select id from agents where organization_id = ${organizationId} and lower(name) = lower(${nameOrId})`
    if (!row) throw fail('agent.not_found', { value: nameOrId })
    return this.find(organizationId, row.id)
  }

  listActive(organizationId: string, limit: number): Promise<ListedAgent[]> {
    return this.#sql<ListedAgent[]>`
      select id, name, description from agents
      where organization_id = ${organizationId} and is_active order by id limit ${limit}`
  }

  #openModel(model: StoredModel, payerId: string, isForeign: boolean): ResolvedModel {
    try {
      return this.#models.open(model, payerId)
    } catch (error) {
      throw isForeign && error instanceof AppError ? fail('agent.inactive', {}, { cause: error }) : error
    }
  }
}

/**
 * Reads several agents in one statement, for concurrent callers (see grouped). Reads each agent once. The statement
 * is written by hand for speed, because every message to an agent reads the agent.
 */
async function readAgents(sql: SystemSql, agentIds: string[]): Promise<(StoredAgent | undefined)[]> {
  const rows = await sql<StoredAgent[]>`
    select a.id, a.organization_id as "organizationId", a.name,
      a.is_public and exists (
        select from organizations o where o.id = a.organization_id and o.suspended_at is null) as "isPublic",
      a.is_active as "isActive", a.params,
      (select coalesce(json_agg(json_build_object(
        'toolId', tool_id, 'config', config, 'confirmedRevision', confirmed_revision) order by position), '[]')
        from agent_tools where agent_id = a.id) as tools,
      array(select kb_id from agent_knowledge_bases where agent_id = a.id order by position) as "knowledgeBaseIds",
      (select coalesce(sum(coalesce(octet_length(i.tools::text), ${UNREAD_TOOLS_BYTES})), 0)::int
        from agent_mcp_instances shared join mcp_instances i on i.id = shared.instance_id and i.status = 'active'
        where shared.agent_id = a.id) as "sharedToolsBytes",
      ${modelAsJson(sql)} as model
    from agents a
    join llm_models m on m.id = a.model_id
      and (m.organization_id = a.organization_id or m.organization_id is null)
    where a.id = any(${[...new Set(agentIds)]}::uuid[])`
  const found = new Map(rows.map((row) => [row.id, row]))
  return agentIds.map((id) => found.get(id))
}

/** Returns a public agent of any organization that is not suspended. Throws agent.not_found. */
export async function readPublicAgent(database: Database, agentId: string): Promise<AgentRow> {
  const [row] = await systemDb(database)
    .select()
    .from(agents)
    .where(and(eq(agents.id, agentId), eq(agents.isPublic, true), isNotSuspended(agents.organizationId)))
  if (!row) throw fail('agent.not_found', { value: agentId })
  return row
}
