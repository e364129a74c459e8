import { promptBytesOf } from '#platform/models/context-window.ts'
import type { RunnableTool } from '#platform/models/index.ts'
import { promptText } from '#platform/models/payable-usage.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import { describeLeftOutTools, type Mcp } from '../mcp/index.ts'
import type { ReadyAgent } from './find-agents-system.ts'

/** Fraction of the prompt that is reserved for the tools of shared MCP connections. */
const SHARED_TOOLS_SHARE = 0.5

/** The request for an agent's model, and the tools that the model may call. */
export interface OpenedAgent {
  /** The request, whose system prompt names the tools that the model cannot be offered. */
  request: ModelRequest
  tools: RunnableTool[]
}

/** Returns the number of prompt bytes reserved for the tools of shared MCP connections. */
export const sharedToolsBudget = (
  { model, sharedToolsBytes }: ReadyAgent,
  maxTokens: number | undefined,
): number => Math.min(sharedToolsBytes, promptBytesOf(windowOf(model, maxTokens)) * SHARED_TOOLS_SHARE)

/**
 * Opens an agent's own tools, and as many tools of shared MCP connections as fit into the prompt. Call it only after
 * the reply has been admitted, because it may send requests to the MCP servers. Skips servers that fail. If a shared
 * tool has the name of an own tool, its name is prefixed with the slug of the server's toolkit. If the signal aborts,
 * rejects with its reason.
 */
export async function openAgentTools(
  mcp: Pick<Mcp, 'openShared'>,
  agent: ReadyAgent,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<OpenedAgent> {
  const { id, model, tools: own, sharedToolsBytes } = agent
  if (sharedToolsBytes === 0) return { request, tools: own }
  const definitions = own.map(({ definition }) => definition)
  const usedBytes = Buffer.byteLength(promptText({ ...request, tools: definitions }))
  const left = promptBytesOf(windowOf(model, request.maxTokens)) - usedBytes
  const { tools: shared, leftOut } = await mcp.openShared(id, signal, {
    reserved: definitions.map(({ name }) => name),
    bytesMax: Math.max(left, sharedToolsBudget(agent, request.maxTokens)),
  })
  const system = [request.system, describeLeftOutTools(leftOut)].filter(Boolean).join('\n\n')
  return { request: leftOut.length === 0 ? request : { ...request, system }, tools: [...own, ...shared] }
}

const windowOf = ({ contextWindow }: ReadyAgent['model'], maxTokens: number | undefined) => ({
  contextWindow,
  maxTokens,
})
