import type { Payer } from '#platform/ledger/ledger.ts'
import { promptBytesOf } from '#platform/models/context-window.ts'
import { messageText } from '#platform/models/payable-usage.ts'
import type { ModelMessage, ModelRequest } from '#platform/models/types.ts'
import { describePassages, PASSAGES_SHARE, type Passage } from '../kb/index.ts'
import type { ReadyAgent } from './find-agents-system.ts'

/** Retrieves passages from the agent's knowledge bases. */
type Retrieve = (agent: ReadyAgent, payer: Payer, query: string) => Promise<Passage[]>

/**
 * Builds the request for the agent's model. The agent's system prompt precedes the caller's system prompt. The last
 * user message is the query for the agent's knowledge bases.
 */
export async function prepareRequest(
  retrieve: Retrieve,
  agent: ReadyAgent,
  payer: Payer,
  original: ModelRequest,
): Promise<ModelRequest> {
  const system = [agent.system, original.system ?? ''].filter((text) => text !== '').join('\n\n')
  const { temperature = agent.temperature, maxTokens = agent.maxTokens, system: _system, ...rest } = original
  const window = { contextWindow: agent.model.contextWindow, maxTokens }
  const passages = await retrieve(agent, payer, lastQuestion(original.messages))
  const { text } = describePassages(passages, promptBytesOf(window) * PASSAGES_SHARE)
  return {
    ...rest,
    messages: text === '' ? original.messages : withMaterial(original.messages, text),
    ...(system !== '' && { system }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  }
}

function lastQuestion(messages: readonly ModelMessage[]): string {
  const message = messages.findLast(({ role }) => role === 'user')
  return message ? messageText(message) : ''
}

/** Appends the retrieved material to the last user message. */
function withMaterial(messages: readonly ModelMessage[], material: string): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, index) => {
    if (index !== last || message.role !== 'user') return message
    const { content } = message
    return typeof content === 'string'
      ? { role: 'user', content: `${content}\n\n${material}` }
      : { role: 'user', content: [...content, { type: 'text', text: material }] }
  })
}
