import { describeErrorEvent } from './failures.ts'
import { type ReplyText, ToolCallAssembly } from './reply-text.ts'
import { TextTemplate } from './text-template.ts'
import { type StreamRequest, streamEvents, type Transport } from './transport.ts'
import {
  type ContentPart,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelResult,
  type ModelTarget,
} from './types.ts'

/** Where each provider that speaks this format differs from the others. */
interface Dialect {
  /** The field that bounds a reply: OpenAI's reasoning models refuse `max_tokens`. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** What asks for reasoning. */
  thinking: Record<string, unknown>
}

const DIALECTS: Record<string, Dialect> = {
  openai: { maxTokensField: 'max_completion_tokens', thinking: { reasoning_effort: 'medium' } },
  deepseek: { maxTokensField: 'max_tokens', thinking: { thinking: { type: 'enabled' } } },
  ollama: { maxTokensField: 'max_tokens', thinking: { reasoning_effort: 'medium' } },
  'openai-compatible': { maxTokensField: 'max_tokens', thinking: { reasoning_effort: 'medium' } },
}

/** OpenAI's own reasoning models: they take no temperature and no top_p, and the others take no reasoning_effort. */
const OPENAI_REASONING_MODEL = /^(o\d|gpt-5)/

/** OpenAI chat completions, streamed; spoken by openai, deepseek, ollama and many servers (openai-compatible). */
export async function streamOpenAi(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const result: ModelResult = { finishReason: 'other', usage: null }
  const toolCalls = new ToolCallAssembly()
  const template = new TextTemplate()
  await streamEvents(transport, {
    target,
    path: '/chat/completions',
    headers: authorization(target),
    body: requestBody(target, request),
    signal,
    onEvent({ data }) {
      const token = template.match(data)
      if (token !== undefined) {
        reply.text(token)
        return false
      }
      if (data === '[DONE]') return true
      const chunk = JSON.parse(data) as Chunk
      if (chunk.error !== undefined) throw describeErrorEvent(target, chunk.error)
      if (chunk.usage)
        result.usage = {
          inputTokens: chunk.usage.prompt_tokens ?? 0,
          outputTokens: chunk.usage.completion_tokens ?? 0,
        }
      const choice = chunk.choices?.[0]
      if (!choice) return false
      const { delta } = choice
      if (delta?.content) reply.text(delta.content)
      const reasoning = delta?.reasoning_content ?? delta?.reasoning
      if (reasoning) reply.reasoning(reasoning)
      if (delta?.content && !reasoning && !delta.tool_calls) template.learn(data, delta.content)
      if (delta?.tool_calls) for (const call of delta.tool_calls) addToolCall(toolCalls, call)
      if (choice.finish_reason) result.finishReason = FINISH_REASONS[choice.finish_reason] ?? 'other'
      return false
    },
  } satisfies StreamRequest)
  for (const call of toolCalls.finish()) reply.toolCall(call)
  return result
}

interface Chunk {
  error?: unknown
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null
  choices?: {
    delta?: {
      content?: string | null
      reasoning_content?: string | null
      reasoning?: string | null
      tool_calls?: ToolCallDelta[]
    }
    finish_reason?: string | null
  }[]
}

interface ToolCallDelta {
  index?: number
  id?: string
  function?: { name?: string; arguments?: string }
}

const addToolCall = (toolCalls: ToolCallAssembly, { index = 0, id, function: called }: ToolCallDelta): void =>
  toolCalls.add(index, {
    ...(id && { id }),
    ...(called?.name && { name: called.name }),
    argumentsText: called?.arguments ?? '',
  })

const FINISH_REASONS: Record<string, ModelResult['finishReason']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

export const authorization = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }

function requestBody(target: ModelTarget, request: ModelRequest): Record<string, unknown> {
  const dialect = DIALECTS[target.provider]
  if (!dialect) throw new ModelError(`${target.provider} does not speak this format`)
  const isReasoningModel = target.provider === 'openai' && OPENAI_REASONING_MODEL.test(target.model)
  const mayThink = target.provider !== 'openai' || isReasoningModel
  const { temperature, topP, maxTokens, tools } = request
  return {
    model: target.model,
    messages: messagesOf(request),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && !isReasoningModel && { temperature }),
    ...(topP !== undefined && !isReasoningModel && { top_p: topP }),
    ...(maxTokens !== undefined && { [dialect.maxTokensField]: maxTokens }),
    ...(request.thinking && mayThink && dialect.thinking),
    ...(tools && tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
  }
}

function messagesOf({ system, messages }: ModelRequest): object[] {
  const head = system === undefined ? [] : [{ role: 'system', content: system }]
  return [...head, ...messages.map(messageOf)]
}

function messageOf(message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: contentOf(message.content) }
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.output }
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.toolCalls && {
          tool_calls: message.toolCalls.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
      }
  }
}

const contentOf = (content: string | ContentPart[]): unknown =>
  typeof content === 'string'
    ? content
    : content.map((part) =>
        part.type === 'text'
          ? part
          : {
              type: 'image_url',
              image_url: { url: `data:${part.mimeType};base64,${Buffer.from(part.data).toString('base64')}` },
            },
      )
