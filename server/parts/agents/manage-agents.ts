import { and, eq, inArray } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { agentDeployments } from '#database/schema/agent-deploy.ts'
import { type AgentParams, agents } from '#database/schema/agents.ts'
import { mcpInstances } from '#database/schema/mcp.ts'
import { isForeignKeyViolation, onMissingReference, onUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { listRecords } from '#platform/http/list-records.ts'
import { mergeFields } from '#platform/http/merge-fields.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import type { Services } from '#platform/services.ts'
import type { ModelFinder } from '../llm/index.ts'
import type { AgentToolInput, StoredAgentTool, Tools } from '../tools/index.ts'
import { readPublicAgent } from './find-agents-system.ts'
import { type AgentChange, type AgentView, type NewAgent, viewAgent, viewDescriptor } from './schemas.ts'
import {
  readStoredAgent,
  type SharedInstance,
  type StoredAgent,
  storeInstances,
  storeKnowledgeBases,
  storeTools,
  withBelongings,
} from './stored-agent.ts'

export interface AgentDependencies {
  database: Services['database']
  models: ModelFinder
  tools: Tools
}

/** Maximum size of the tool configuration of one agent, in bytes of JSON. @limit tool configuration of an agent */
const TOOLS_BYTES_MAX = 64 * 1024
/** Maximum total size of the system prompts in one page of agents, in bytes. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024
/** Maximum number of attempts to store a change when concurrent changes interfere. */
const ATTEMPTS = 5
const DEPLOYMENTS_NAMED = 10

/**
 * Creates an agent. Throws agent.name_taken, agent.tools_too_large, llm.not_found, llm.inactive,
 * llm.not_configured, llm.cannot_chat, llm.cannot_call_tools, kb.not_found, mcp.instance_not_found, and the
 * errors of Tools.prepare.
 */
export async function createAgent(
  deps: AgentDependencies,
  scope: Scope<'agent:write'>,
  input: NewAgent,
): Promise<AgentView> {
  const { tools: requested = [], params } = input
  checkBelongings(scope, input, [])
  const instances = await prepareInstances(scope, input.mcp_instance_ids ?? [], [])
  await checkModel(deps, scope, input.model_id, requested.length + instances.length > 0)
  const id = newId()
  const tools = await prepareTools(deps, scope, id, requested, [])
  const knowledgeBaseIds = distinct(input.knowledge_base_ids ?? [])
  const row = await scope.transaction(async (database) => {
    const made = await database
      .insert(
        agents,
        {
          id,
          createdBy: scope.userId,
          name: input.name.trim(),
          description: input.description,
          agentType: input.agent_type.trim(),
          modelId: input.model_id,
          params,
          isPublic: input.is_public ?? false,
          isActive: input.is_active ?? true,
        },
        { after: auditDetails({ tools, knowledgeBaseIds, instances }, requested) },
      )
      .catch(onMissingReference('llm.not_found'))
      .catch(onUniqueViolation('agent.name_taken'))
    await storeTools(database, id, [], tools)
    await storeKnowledgeBases(database, id, [], knowledgeBaseIds)
    await storeInstances(database, id, [], instances)
    return made
  })
  return view(deps, { row, tools, knowledgeBaseIds, instances })
}

/** Returns the organization's agents, newest first. */
export async function listAgents(
  deps: AgentDependencies,
  scope: Scope<'agent:read'>,
  query: ListQuery,
): Promise<Page<AgentView>> {
  const page = await listRecords(scope, agents, {
    query,
    view: (row) => row,
    searched: [agents.name, agents.description],
    bytes: { max: PAGE_BYTES_MAX, of: ({ params }) => Buffer.byteLength(params.system_prompt ?? '') },
  })
  const stored = await withBelongings(scope, page.data)
  return { ...page, data: await Promise.all(stored.map((agent) => view(deps, agent))) }
}

/**
 * Returns one of the organization's own agents, or the public part of another organization's public agent. Throws
 * agent.not_found.
 */
export async function getAgent(
  deps: AgentDependencies,
  scope: Scope<'agent:read'> | Scope<'agent:write'>,
  agentId: string,
): Promise<AgentView> {
  const own = await readStoredAgent(scope, agentId)
  return own ? view(deps, own) : viewDescriptor(await readPublicAgent(deps.database, agentId))
}

/**
 * Updates the given fields. A given list of tools, knowledge bases or MCP connections replaces the whole list, and
 * `params` is merged by key. Throws agent.not_found (also for agents of other organizations), agent.changing,
 * and the errors of createAgent.
 */
export async function updateAgent(
  deps: AgentDependencies,
  scope: Scope<'agent:write'>,
  agentId: string,
  change: AgentChange,
): Promise<AgentView> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await readStoredAgent(scope, agentId)
    if (!before) throw fail('agent.not_found', { value: agentId })
    checkBelongings(scope, change, before.knowledgeBaseIds)
    const instances = change.mcp_instance_ids
      ? await prepareInstances(scope, change.mcp_instance_ids, before.instances)
      : before.instances
    const hasTools = (change.tools ?? before.tools).length + instances.length > 0
    if (change.model_id !== undefined || change.tools !== undefined || change.mcp_instance_ids !== undefined)
      await checkModel(deps, scope, change.model_id ?? before.row.modelId, hasTools)
    const tools =
      change.tools === undefined
        ? before.tools
        : await prepareTools(deps, scope, agentId, change.tools, before.tools)
    const after = await storeChange(scope, before, change, { tools, instances })
    if (after) return view(deps, after)
  }
  throw fail('agent.changing')
}

/** Deletes an agent. Throws agent.not_found, and agent.in_use with the names of the agent's deployments. */
export async function deleteAgent(scope: Scope<'agent:delete'>, agentId: string): Promise<void> {
  const deployments = await namesOfDeployments(scope, agentId)
  if (deployments.length > 0) throw inUse(deployments)
  const rows = await scope.delete(agents, eq(agents.id, agentId)).catch(async (error: unknown) => {
    throw isForeignKeyViolation(error) ? inUse(await namesOfDeployments(scope, agentId)) : error
  })
  if (rows.length === 0) throw fail('agent.not_found', { value: agentId })
}

/** Stores a prepared change. Returns null if another change interfered after the preparation. */
async function storeChange(
  scope: Scope<'agent:write'>,
  prepared: StoredAgent,
  change: AgentChange,
  { tools, instances }: Pick<StoredAgent, 'tools' | 'instances'>,
): Promise<StoredAgent | null> {
  const { id } = prepared.row
  return scope.transaction(async (database) => {
    const before = await readStoredAgent(database, id, true)
    if (!before) throw fail('agent.not_found', { value: id })
    if (!isSame(before, prepared)) return null
    const knowledgeBaseIds = distinct(change.knowledge_base_ids ?? before.knowledgeBaseIds)
    const [row = before.row] = await database
      .update(agents, eq(agents.id, id), columnsOf(before, change), {
        before: { ...auditDetails(before, []), ...confirmationsOf(before.tools, before.tools) },
        after: {
          ...auditDetails({ tools, knowledgeBaseIds, instances }, change.tools ?? []),
          ...confirmationsOf(before.tools, tools),
        },
      })
      .catch(onMissingReference('llm.not_found'))
      .catch(onUniqueViolation('agent.name_taken'))
    if (change.tools) await storeTools(database, id, before.tools, tools)
    if (change.knowledge_base_ids)
      await storeKnowledgeBases(database, id, before.knowledgeBaseIds, knowledgeBaseIds)
    if (change.mcp_instance_ids) await storeInstances(database, id, before.instances, instances)
    return { row, tools, knowledgeBaseIds, instances }
  })
}

const columnsOf = ({ row }: StoredAgent, change: AgentChange) => ({
  ...(change.name !== undefined && { name: change.name.trim() }),
  ...(change.description !== undefined && { description: change.description }),
  ...(change.agent_type !== undefined && { agentType: change.agent_type.trim() }),
  ...(change.model_id !== undefined && { modelId: change.model_id }),
  ...(change.params !== undefined && { params: mergeFields<AgentParams>(row.params, change.params) }),
  ...(change.is_public !== undefined && { isPublic: change.is_public }),
  ...(change.is_active !== undefined && { isActive: change.is_active }),
  updatedAt: new Date(),
})

/**
 * Returns whether two versions of an agent have the same model, tools and MCP connections. If they differ, a change
 * that was prepared for one version is invalid for the other.
 */
const isSame = (a: StoredAgent, b: StoredAgent): boolean =>
  a.row.modelId === b.row.modelId &&
  JSON.stringify([a.tools, a.instances]) === JSON.stringify([b.tools, b.instances])

/**
 * Builds the audit details of a change: the agent's tools, and the tools that the change configured. Never contains
 * configuration values.
 */
const auditDetails = (
  { tools, knowledgeBaseIds, instances }: Omit<StoredAgent, 'row'>,
  configured: readonly AgentToolInput[],
) => ({
  tools: tools.map(({ toolId }) => toolId),
  configured_tools: configured.filter(({ config = [] }) => config.length > 0).map(({ tool_id }) => tool_id),
  knowledge_base_ids: knowledgeBaseIds,
  mcp_instance_ids: instances.map(({ instanceId }) => instanceId),
})

/** Returns the audit details of tools whose present revision a change confirms, after their authors changed them. */
const confirmationsOf = (before: readonly StoredAgentTool[], after: readonly StoredAgentTool[]) => ({
  confirmed_tools: after
    .filter(({ toolId, confirmedRevision }) =>
      before.some((tool) => tool.toolId === toolId && tool.confirmedRevision !== confirmedRevision),
    )
    .map(({ toolId }) => toolId),
})

/**
 * Checks that the caller may set these knowledge bases. Adding one to those that the agent has (`given`) requires
 * kb:read, because the agent reveals its contents. Throws access.missing_permission.
 */
function checkBelongings(
  scope: Scope<'agent:write'>,
  { knowledge_base_ids: kbIds = [] }: AgentChange,
  given: readonly string[],
): void {
  if (!kbIds.every((id) => given.includes(id)) && !scope.holds('kb:read'))
    throw fail('access.missing_permission', { permission: 'kb:read' })
}

/**
 * Returns the requested MCP connections with their owners. Keeps connections that are already shared with the agent.
 * Every other connection must belong to the caller and be active. Throws mcp.instance_not_found.
 */
async function prepareInstances(
  scope: Scope<'agent:write'>,
  requested: readonly string[],
  existing: readonly SharedInstance[],
): Promise<SharedInstance[]> {
  const ids = distinct(requested)
  const added = ids.filter((id) => !existing.some(({ instanceId }) => instanceId === id))
  const own =
    added.length === 0
      ? []
      : await scope.select(mcpInstances, {
          where: and(inArray(mcpInstances.id, added), eq(mcpInstances.status, 'active')),
        })
  const missing = added.find((id) => !own.some((instance) => instance.id === id))
  if (missing !== undefined) throw fail('mcp.instance_not_found', { value: missing })
  return ids.map(
    (id) => existing.find(({ instanceId }) => instanceId === id) ?? { instanceId: id, ownerId: scope.userId },
  )
}

async function checkModel(
  { models }: AgentDependencies,
  { organizationId }: Scope<'agent:write'>,
  modelId: string,
  hasTools: boolean,
): Promise<void> {
  const { capabilities } = await models.find(organizationId, modelId)
  if (!capabilities.includes('text')) throw fail('llm.cannot_chat')
  if (hasTools && !capabilities.includes('tools')) throw fail('llm.cannot_call_tools')
}

async function prepareTools(
  { tools }: AgentDependencies,
  scope: Scope<'agent:write'>,
  agentId: string,
  requested: AgentToolInput[],
  existing: StoredAgentTool[],
): Promise<StoredAgentTool[]> {
  if (requested.length === 0) return []
  if (Buffer.byteLength(JSON.stringify(requested)) > TOOLS_BYTES_MAX)
    throw fail('agent.tools_too_large', { limit: TOOLS_BYTES_MAX })
  return tools.prepare(scope, agentId, requested, existing)
}

const view = async (
  { tools: agentTools }: AgentDependencies,
  { row, tools, knowledgeBaseIds, instances }: StoredAgent,
) =>
  viewAgent(
    row,
    tools.length === 0 ? [] : await agentTools.view(row, tools),
    knowledgeBaseIds,
    instances.map(({ instanceId }) => instanceId),
  )

const namesOfDeployments = async (scope: Scope<'agent:delete'>, agentId: string): Promise<string[]> =>
  (
    await scope.select(agentDeployments, {
      where: eq(agentDeployments.agentId, agentId),
      limit: DEPLOYMENTS_NAMED,
    })
  ).map(({ name }) => name)

const inUse = (deployments: string[]) => fail('agent.in_use', { deployments: deployments.join(', ') })
const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)]
