import { promptBytesOf } from '#platform/models/context-window.ts'
import type { RunnableTool } from '#platform/models/index.ts'
import { promptText } from '#platform/models/payable-usage.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import type { Mcp } from '../mcp/index.ts'
import type { ReadyAgent } from './find-agents-system.ts'

/** Of the prompt, for what describes tools of shared connections, before what else is to stand there. */
const SHARED_TOOLS_SHARE = 0.5

/** Bytes of a prompt that are kept for the tools of shared connections. */
export const sharedToolsBudget = (
  { model, sharedToolsBytes }: ReadyAgent,
  maxTokens: number | undefined,
): number => Math.min(sharedToolsBytes, promptBytesOf(windowOf(model, maxTokens)) * SHARED_TOOLS_SHARE)

/**
 * All the tools of an agent: its own, and those of shared connections for which there is room beside the request. Their
 * servers may be asked for them, which takes its time: after the reply has been admitted. A server that fails is left
 * out. What is called like one of the agent's own tools gets its server's name before it. Rejects with the signal's
 * reason.
 */
export async function openAgentTools(
  mcp: Pick<Mcp, 'openShared'>,
  agent: ReadyAgent,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<RunnableTool[]> {
  const { id, model, tools: own, sharedToolsBytes } = agent
  if (sharedToolsBytes === 0) return own
  const definitions = own.map(({ definition }) => definition)
  const usedBytes = Buffer.byteLength(promptText({ ...request, tools: definitions }))
  const left = promptBytesOf(windowOf(model, request.maxTokens)) - usedBytes
  const shared = await mcp.openShared(id, signal, {
    reserved: definitions.map(({ name }) => name),
    bytesMax: Math.max(left, sharedToolsBudget(agent, request.maxTokens)),
  })
  return [...own, ...shared]
}

const windowOf = ({ contextWindow }: ReadyAgent['model'], maxTokens: number | undefined) => ({
  contextWindow,
  maxTokens,
})
