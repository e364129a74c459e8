import { countTokens } from './count-tokens.ts'
import type { ModelRequest, ModelUsage } from './types.ts'

/**
 * What is to be paid for a reply: what the provider says; else what is counted here, when the reply was cut short or
 * its provider tells nothing. Null is nothing: a reply that failed before its first token (contract, 6).
 */
export async function payableUsage(
  told: ModelUsage | null,
  written: { content: string; reasoning: string },
  request: ModelRequest,
  hasFailed: boolean,
): Promise<ModelUsage | null> {
  if (told) return told
  const text = written.reasoning + written.content
  if (hasFailed && text === '') return null
  const prompt = [request.system ?? '', ...request.messages.map(textOf)].join('\n')
  return { inputTokens: await countTokens(prompt), outputTokens: await countTokens(text) }
}

function textOf(message: ModelRequest['messages'][number]): string {
  if (message.role === 'tool') return message.output
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
