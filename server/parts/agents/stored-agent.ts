import { and, asc, eq, inArray } from '#database/drizzle.ts'
import { agentKnowledgeBases, agents, agentTools } from '#database/schema/agents.ts'
import { agentMcpInstances } from '#database/schema/mcp.ts'
import { onMissingReference } from '#database/sql-state.ts'
import type { ScopedStatements } from '#platform/access/scoped-database.ts'
import type { StoredAgentTool } from '../tools/index.ts'
import type { AgentRow } from './schemas.ts'

export interface StoredAgent {
  row: AgentRow
  tools: StoredAgentTool[]
  knowledgeBaseIds: string[]
  instances: SharedInstance[]
}

/** An MCP connection that its owner shares with an agent. */
export interface SharedInstance {
  instanceId: string
  ownerId: string
}

type Database = ScopedStatements

/** Reads one of the organization's own agents. With `lock`, locks the agent until the transaction ends. */
export async function readStoredAgent(
  database: Pick<Database, 'select'>,
  agentId: string,
  lock = false,
): Promise<StoredAgent | undefined> {
  const rows = await database.select(agents, { where: eq(agents.id, agentId), lock })
  return (await withBelongings(database, rows))[0]
}

/** Reads the tools, knowledge bases and MCP connections of all given agents in three statements. */
export async function withBelongings(
  database: Pick<Database, 'select'>,
  rows: AgentRow[],
): Promise<StoredAgent[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const tools = await database.select(agentTools, {
    where: inArray(agentTools.agentId, ids),
    orderBy: [asc(agentTools.position)],
  })
  const knowledgeBases = await database.select(agentKnowledgeBases, {
    where: inArray(agentKnowledgeBases.agentId, ids),
    orderBy: [asc(agentKnowledgeBases.position)],
  })
  const instances = await database.select(agentMcpInstances, {
    where: inArray(agentMcpInstances.agentId, ids),
    orderBy: [asc(agentMcpInstances.position), asc(agentMcpInstances.instanceId)],
  })
  const toolsOf = Map.groupBy(tools, ({ agentId }) => agentId)
  const knowledgeBasesOf = Map.groupBy(knowledgeBases, ({ agentId }) => agentId)
  const instancesOf = Map.groupBy(instances, ({ agentId }) => agentId)
  return rows.map((row) => ({
    row,
    tools: (toolsOf.get(row.id) ?? []).map(({ toolId, config, confirmedRevision }) => ({
      toolId,
      config,
      confirmedRevision,
    })),
    knowledgeBaseIds: (knowledgeBasesOf.get(row.id) ?? []).map(({ kbId }) => kbId),
    instances: (instancesOf.get(row.id) ?? []).map(({ instanceId, ownerId }) => ({ instanceId, ownerId })),
  }))
}

/*
 * If the new list keeps a tool or knowledge base, the functions below update its row in place. Deleting and
 * reinserting the row could deadlock with a concurrent deletion of the tool or knowledge base: the insert would wait
 * for the lock of the tool, while the deletion of the tool waits for the row.
 */

/** Replaces the tools of an agent that is new or locked by the caller. Throws tool.not_found. */
export async function storeTools(
  database: Database,
  agentId: string,
  before: readonly StoredAgentTool[],
  after: readonly StoredAgentTool[],
): Promise<void> {
  const known = new Set(before.map(({ toolId }) => toolId))
  const next = new Set(after.map(({ toolId }) => toolId))
  const one = (toolId: string) => and(eq(agentTools.agentId, agentId), eq(agentTools.toolId, toolId))
  const gone = [...known].filter((id) => !next.has(id))
  if (gone.length > 0)
    await database.delete(agentTools, and(eq(agentTools.agentId, agentId), inArray(agentTools.toolId, gone)))
  const entries = after.map((tool, position) => ({ ...tool, agentId, position }))
  for (const { toolId, config, confirmedRevision, position } of entries.filter((tool) =>
    known.has(tool.toolId),
  ))
    await database.update(agentTools, one(toolId), { config, confirmedRevision, position })
  const added = entries.filter((tool) => !known.has(tool.toolId))
  if (added.length > 0)
    await database.insertAll(agentTools, added).catch(onMissingReference('tool.not_found'))
}

/**
 * Replaces the knowledge bases of an agent that is new or locked by the caller. Throws kb.not_found for a knowledge
 * base of another organization.
 */
export async function storeKnowledgeBases(
  database: Database,
  agentId: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const { kbId: id } = agentKnowledgeBases
  const ofAgent = eq(agentKnowledgeBases.agentId, agentId)
  const gone = before.filter((kbId) => !after.includes(kbId))
  if (gone.length > 0) await database.delete(agentKnowledgeBases, and(ofAgent, inArray(id, gone)))
  const entries = after.map((kbId, position) => ({ agentId, kbId, position }))
  for (const { kbId, position } of entries.filter((one) => before.includes(one.kbId)))
    await database.update(agentKnowledgeBases, and(ofAgent, eq(id, kbId)), { position })
  const added = entries.filter(({ kbId }) => !before.includes(kbId))
  if (added.length > 0)
    await database.insertAll(agentKnowledgeBases, added).catch(onMissingReference('kb.not_found'))
}

/** Replaces the MCP connections of an agent that is new or locked by the caller. Throws mcp.instance_not_found. */
export async function storeInstances(
  database: Database,
  agentId: string,
  before: readonly SharedInstance[],
  after: readonly SharedInstance[],
): Promise<void> {
  const { instanceId: id } = agentMcpInstances
  const ofAgent = eq(agentMcpInstances.agentId, agentId)
  const idsOf = (instances: readonly SharedInstance[]) => instances.map(({ instanceId }) => instanceId)
  const [known, next] = [idsOf(before), idsOf(after)]
  const gone = known.filter((instanceId) => !next.includes(instanceId))
  if (gone.length > 0) await database.delete(agentMcpInstances, and(ofAgent, inArray(id, gone)))
  const entries = after.map((instance, position) => ({ ...instance, agentId, position }))
  for (const { instanceId, position } of entries.filter((one) => known.includes(one.instanceId)))
    await database.update(agentMcpInstances, and(ofAgent, eq(id, instanceId)), { position })
  const added = entries.filter(({ instanceId }) => !known.includes(instanceId))
  if (added.length > 0)
    await database.insertAll(agentMcpInstances, added).catch(onMissingReference('mcp.instance_not_found'))
}
