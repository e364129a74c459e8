import { countTokens } from './count-tokens.ts'
import type { ModelMessage, ModelRequest, ModelUsage, ToolCall } from './types.ts'

/**
 * Returns the usage to charge for a reply: the usage that the provider reported, or a local token count if there is
 * none. Returns null, for no charge, if the reply failed before its first token (contract, 6).
 */
export async function payableUsage(
  reported: ModelUsage | null,
  written: { content: string; reasoning: string; toolCalls?: readonly ToolCall[] },
  request: ModelRequest,
  hasFailed: boolean,
): Promise<ModelUsage | null> {
  if (reported) return reported
  const text = written.reasoning + written.content + callsText(written.toolCalls)
  if (hasFailed && text === '') return null
  return { inputTokens: await countTokens(promptText(request)), outputTokens: await countTokens(text) }
}

/** Returns all text of a request as one string. */
export const promptText = ({ system = '', tools = [], messages }: ModelRequest): string =>
  [system, ...tools.map((tool) => JSON.stringify(tool)), ...messages.map(messageText)].join('\n')

/** Returns all text of a message as one string. */
export function messageText(message: ModelMessage): string {
  if (message.role === 'tool') return message.output
  if (message.role === 'assistant') return message.content + callsText(message.toolCalls)
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

const callsText = (calls: readonly ToolCall[] = []): string =>
  calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join('\n')
