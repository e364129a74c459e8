import { describeErrorEvent } from './failures.ts'
import { type ReplyText, ToolCallAssembly } from './reply-text.ts'
import { TextTemplate } from './text-template.ts'
import { streamEvents, type Transport } from './transport.ts'
import type {
  ContentPart,
  ModelMessage,
  ModelRequest,
  ModelResult,
  ModelTarget,
  ToolDefinition,
} from './types.ts'

const VERSION = '2023-06-01'
/** The format demands a bound on the reply; this one stands where the request names none. */
const MAX_TOKENS_DEFAULT = 8_192
/** Tokens for thinking, on models that want a budget; they come on top of the reply's own. */
const THINKING_BUDGET_TOKENS = 8_192
/** Models up to 4.5 think within a budget; later ones decide for themselves, and refuse a budget. */
const BUDGET_MODEL = /^claude-(3|(opus|sonnet|haiku)-4(-[015])?(-\d{8})?$)/

/** Anthropic messages, streamed. */
export async function streamAnthropic(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  let inputTokens = 0
  let outputTokens: number | null = null
  let finishReason: ModelResult['finishReason'] = 'other'
  const toolCalls = new ToolCallAssembly()
  const template = new TextTemplate()
  await streamEvents(transport, {
    target,
    path: '/messages',
    headers: anthropicHeaders(target),
    body: requestBody(target, request),
    signal,
    onEvent({ data }) {
      const token = template.match(data)
      if (token !== undefined) {
        reply.text(token)
        return false
      }
      const event = JSON.parse(data) as StreamEvent
      switch (event.type) {
        case 'content_block_delta':
          takeDelta(event, reply, toolCalls)
          if (event.delta?.text) template.learn(data, event.delta.text)
          return false
        case 'content_block_start':
          if (event.content_block?.type === 'tool_use') {
            const { id = '', name = '' } = event.content_block
            toolCalls.add(event.index ?? 0, { id, name, argumentsText: '' })
          }
          return false
        case 'message_start':
          inputTokens = countInput(event.message?.usage)
          return false
        case 'message_delta':
          outputTokens = event.usage?.output_tokens ?? outputTokens
          finishReason = FINISH_REASONS[event.delta?.stop_reason ?? ''] ?? 'other'
          return false
        case 'error':
          throw describeErrorEvent(target, event.error)
        default:
          return event.type === 'message_stop'
      }
    },
  })
  for (const call of toolCalls.finish()) reply.toolCall(call)
  return { finishReason, usage: outputTokens === null ? null : { inputTokens, outputTokens } }
}

interface StreamEvent {
  type: string
  index?: number
  content_block?: { type: string; id?: string; name?: string }
  delta?: { type?: string; text?: string; thinking?: string; partial_json?: string; stop_reason?: string }
  message?: { usage?: Usage }
  usage?: Usage
  error?: unknown
}

interface Usage {
  input_tokens?: number
  cache_creation_input_tokens?: number
  cache_read_input_tokens?: number
  output_tokens?: number
}

function takeDelta({ delta, index = 0 }: StreamEvent, reply: ReplyText, toolCalls: ToolCallAssembly): void {
  if (delta?.text) reply.text(delta.text)
  else if (delta?.thinking) reply.reasoning(delta.thinking)
  else if (delta?.partial_json) toolCalls.add(index, { argumentsText: delta.partial_json })
}

/** What was read from and written to the provider's cache is input as well. */
const countInput = (usage: Usage = {}): number =>
  (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)

const FINISH_REASONS: Record<string, ModelResult['finishReason']> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

export const anthropicHeaders = ({ apiKey }: ModelTarget): Record<string, string> => ({
  'anthropic-version': VERSION,
  ...(apiKey !== null && { 'x-api-key': apiKey }),
})

function requestBody({ model }: ModelTarget, request: ModelRequest): Record<string, unknown> {
  const { system, messages, tools, maxTokens = MAX_TOKENS_DEFAULT } = request
  const withBudget = request.thinking && BUDGET_MODEL.test(model)
  return {
    model,
    stream: true,
    max_tokens: withBudget ? maxTokens + THINKING_BUDGET_TOKENS : maxTokens,
    ...(system !== undefined && { system }),
    messages: joinTurns(messages).map(messageOf),
    ...(request.thinking
      ? {
          thinking: withBudget
            ? { type: 'enabled', budget_tokens: THINKING_BUDGET_TOKENS }
            : { type: 'adaptive', display: 'summarized' },
        }
      : sampling(request)),
    ...(tools && tools.length > 0 && { tools: tools.map(toolOf) }),
  }
}

/** Newer models refuse temperature and top_p together, and any of them with thinking. */
function sampling({ temperature, topP }: ModelRequest): Record<string, number> {
  if (temperature !== undefined) return { temperature }
  return topP === undefined ? {} : { top_p: topP }
}

const toolOf = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  input_schema: parameters,
})

/** The results of several tools that were called at once must stand in one turn. */
function joinTurns(messages: ModelMessage[]): (ModelMessage | ModelMessage[])[] {
  const turns: (ModelMessage | ModelMessage[])[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role !== 'tool') turns.push(message)
    else if (Array.isArray(last)) last.push(message)
    else turns.push([message])
  }
  return turns
}

function messageOf(message: ModelMessage | ModelMessage[]): object {
  if (Array.isArray(message)) return { role: 'user', content: message.map(toolResultOf) }
  if (message.role === 'user') return { role: 'user', content: contentOf(message.content) }
  if (message.role === 'tool') return { role: 'user', content: [toolResultOf(message)] }
  const text = message.content === '' ? [] : [{ type: 'text', text: message.content }]
  const calls = (message.toolCalls ?? []).map(({ id, name, input }) => ({
    type: 'tool_use',
    id,
    name,
    input,
  }))
  return { role: 'assistant', content: [...text, ...calls] }
}

const toolResultOf = (message: ModelMessage): object =>
  message.role === 'tool'
    ? { type: 'tool_result', tool_use_id: message.toolCallId, content: message.output }
    : {}

const contentOf = (content: string | ContentPart[]): unknown =>
  typeof content === 'string'
    ? content
    : content.map((part) =>
        part.type === 'text'
          ? part
          : {
              type: 'image',
              source: {
                type: 'base64',
                media_type: part.mimeType,
                data: Buffer.from(part.data).toString('base64'),
              },
            },
      )
