import { anthropicMaxTokens } from './anthropic-request.ts'
import { countTokens } from './count-tokens.ts'
import type { ContentPart, ModelMessage, ModelRequest, ModelTarget, ModelUsage, ToolCall } from './types.ts'

/**
 * Returns the usage to charge for a reply: the usage that the provider reported, and a local count of the tokens that
 * it did not report, or of which it reported 0 beside text. Returns null, for no charge, if the reply failed before its
 * first token (docs/billing.md).
 */
export async function payableUsage(
  reported: ModelUsage | null,
  written: { content: string; reasoning: string; toolCalls?: readonly ToolCall[] },
  request: ModelRequest,
  hasFailed: boolean,
): Promise<ModelUsage | null> {
  const text = written.reasoning + written.content + callsText(written.toolCalls)
  if (hasFailed && text.trim() === '') return null
  if (reported && (text === '' || (reported.inputTokens > 0 && reported.outputTokens > 0))) return reported
  return {
    ...reported,
    inputTokens: reported?.inputTokens || (await countTokens(promptText(request))),
    outputTokens: reported?.outputTokens || (await countTokens(text)),
  }
}

/**
 * Output tokens charged for an image or video whose usage is unknown. OpenAI counts about as many tokens for an image
 * of 1024 by 1024 pixels. A video costs ten times as much. The model's `output_ratio` converts the tokens to credits.
 */
const OUTPUT_TOKENS = { image: 1_056, video: 10_560 }

/** Returns the usage to charge for an image or video: the usage that the provider reported, or an estimate. */
export const payableMediaUsage = async (
  reported: ModelUsage | null,
  kind: keyof typeof OUTPUT_TOKENS,
  prompt: string,
): Promise<ModelUsage> =>
  reported ?? { inputTokens: await countTokens(prompt), outputTokens: OUTPUT_TOKENS[kind] }

/** Tokens that providers count for an image of usual size. */
const TOKENS_PER_IMAGE = 1_500

/** Returns the tokens that a provider is expected to count for a request. */
export async function countRequest(request: ModelRequest): Promise<number> {
  const images = partsOf(request.messages).filter(({ type }) => type === 'image').length
  return (await countTokens(promptText(request))) + images * TOKENS_PER_IMAGE
}

/** Returns the usage that a call of one of the members is expected to have. Its output is null without a maximum. */
export async function expectedUsage(
  members: readonly { target: ModelTarget }[],
  request: ModelRequest,
): Promise<{ inputTokens: number; outputTokens: number | null }> {
  const { maxTokens } = request
  // Other providers count reasoning towards the maximum.
  const maxOf = ({ provider, model }: ModelTarget) =>
    provider === 'anthropic' ? anthropicMaxTokens(model, request) : (maxTokens ?? 0)
  return {
    inputTokens: await countRequest(request),
    outputTokens: maxTokens === undefined ? null : Math.max(...members.map(({ target }) => maxOf(target))),
  }
}

/** Returns all text of a request as one string. */
export const promptText = ({ system = '', tools = [], messages }: ModelRequest): string =>
  [system, ...tools.map((tool) => JSON.stringify(tool)), ...messages.map(messageText)].join('\n')

/** Returns the parts of the users' messages. A message that is one string has none. */
export const partsOf = (messages: readonly ModelMessage[]): ContentPart[] =>
  messages.flatMap((message) =>
    message.role === 'user' && typeof message.content !== 'string' ? message.content : [],
  )

/** Returns all text of a message as one string. */
export function messageText(message: ModelMessage): string {
  if (message.role === 'tool') return message.output
  if (message.role === 'system') return message.content
  if (message.role === 'assistant') return message.content + callsText(message.toolCalls)
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

const callsText = (calls: readonly ToolCall[] = []): string =>
  calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join('\n')
