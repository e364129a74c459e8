import { reasonFor } from '#errors'
import { describeErrorEvent } from './failures.ts'
import { DIALECTS, type Dialect } from './openai-dialects.ts'
import type { ReplyText } from './reply-text.ts'
import { withFormatInstruction } from './response-format.ts'
import { sign, signedBy } from './signatures.ts'
import { TextTemplate } from './text-template.ts'
import { ToolCallAssembly } from './tool-calls.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import { streamEvents, type Transport } from './transport.ts'
import {
  type ContentPart,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelResult,
  type ModelTarget,
  type ModelUsage,
  type Provider,
  type ResponseFormat,
  type TokenLogprob,
  type ToolChoice,
} from './types.ts'
import { usageOf } from './usage.ts'

/**
 * Streams a reply from the OpenAI chat completions API. Used for openai, deepseek, ollama and openai-compatible.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export async function streamOpenAi(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const dialect = DIALECTS[target.provider]
  if (!dialect) throw new ModelError(reasonFor('model.not_openai', { provider: target.provider }))
  const reader = new StreamReader(target, reply, dialect)
  await streamEvents(transport, {
    target,
    path: '/chat/completions',
    headers: authorization(target),
    body: requestBody(target, request, dialect),
    signal,
    onEvent: ({ data }) => reader.take(data),
  })
  return reader.finish()
}

/** Reads the events of one streamed reply. */
class StreamReader {
  readonly #target: ModelTarget
  readonly #reply: ReplyText
  readonly #dialect: Dialect
  readonly #template = new TextTemplate()
  readonly #toolCalls = new ToolCallAssembly()
  #finishReason: ModelResult['finishReason'] = 'other'
  #usage: ModelUsage | null = null
  #reasoning = ''

  constructor(target: ModelTarget, reply: ReplyText, dialect: Dialect) {
    this.#target = target
    this.#reply = reply
    this.#dialect = dialect
  }

  /** Processes an event. Returns true if the event is the end marker. */
  take(data: string): boolean {
    if (this.#template.pass(data, this.#reply)) return false
    if (data === '[DONE]') return true
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) throw describeErrorEvent(this.#target, chunk.error)
    if (chunk.usage) this.#usage = readUsage(chunk.usage)
    const choice = chunk.choices?.[0]
    if (choice?.finish_reason) this.#finishReason = FINISH_REASONS[choice.finish_reason] ?? 'other'
    if (choice?.delta && this.#takeDelta(choice.delta, choice.logprobs?.content))
      this.#template.learn(data, choice.delta.content ?? '')
    return false
  }

  /** Processes a delta. Returns true if the delta contains only text. */
  #takeDelta(delta: Delta, logprobs: TokenLogprob[] | null | undefined): boolean {
    const reasoning = delta.reasoning_content ?? delta.reasoning
    const hasReasoning = typeof reasoning === 'string' && reasoning !== ''
    if (hasReasoning) {
      this.#reply.reasoning(reasoning)
      if (this.#dialect.needsReasoningBack) this.#reasoning += reasoning
    }
    const hasText = typeof delta.content === 'string' && delta.content !== ''
    if (hasText) this.#reply.text(delta.content as string, logprobs ?? undefined)
    for (const { index, id, function: called } of delta.tool_calls ?? [])
      this.#toolCalls.add({ index, id, name: called?.name, argumentsText: textOf(called?.arguments) })
    return hasText && !hasReasoning && !delta.tool_calls && !logprobs
  }

  finish(): ModelResult {
    const calls = this.#toolCalls.finish(this.#finishReason)
    const [first] = calls
    if (first && this.#reasoning !== '') first.signature = sign(this.#target.provider, this.#reasoning)
    for (const call of calls) this.#reply.toolCall(call)
    // Some servers send `stop` as the finish reason of a reply with tool calls.
    const finishReason = first && this.#finishReason === 'stop' ? 'tool_calls' : this.#finishReason
    return { finishReason, usage: this.#usage }
  }
}

interface Chunk {
  error?: unknown
  usage?: ChunkUsage | null
  choices?: {
    delta?: Delta
    finish_reason?: string | null
    logprobs?: { content?: TokenLogprob[] | null } | null
  }[]
}

interface ChunkUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
  /** DeepSeek's name of cached tokens. */
  prompt_cache_hit_tokens?: unknown
}

const readUsage = (usage: ChunkUsage): ModelUsage | null =>
  usageOf(usage.prompt_tokens, usage.completion_tokens, {
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  })

interface Delta {
  content?: string | null
  /** Reasoning from DeepSeek and compatible servers. */
  reasoning_content?: string | null
  /** Reasoning from OpenRouter, vLLM and Ollama. */
  reasoning?: string | null
  tool_calls?: ToolCallDelta[] | null
}

interface ToolCallDelta {
  index?: number
  id?: string
  function?: { name?: string; arguments?: unknown }
}

/** Returns a tool call's arguments as a JSON string. Some servers send an object instead of a string. */
const textOf = (sent: unknown): string =>
  typeof sent === 'string' ? sent : sent === undefined || sent === null ? '' : JSON.stringify(sent)

const FINISH_REASONS: Record<string, ModelResult['finishReason']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

export const authorization = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }

function requestBody(
  { provider, model }: ModelTarget,
  original: ModelRequest,
  dialect: Dialect,
): Record<string, unknown> {
  const { responseFormat } = original
  const isBeyond = responseFormat?.type === 'json_schema' && !dialect.supportsSchemas
  const request = isBeyond ? withFormatInstruction(original) : original
  const { temperature, topP, maxTokens, stop, thinking = false, effort } = request
  const takesThought = dialect.canForceToolWhileThinking || !demandsCall(request.toolChoice)
  const reasoning = dialect.reasoning(model, thinking && takesThought, effort)
  return {
    model,
    messages: messagesOf(provider, request, dialect),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && stop.length > 0 && { stop }),
    ...rarerFields(request),
    ...(maxTokens !== undefined && { [dialect.maxTokensField]: maxTokens }),
    ...(responseFormat && { response_format: isBeyond ? { type: 'json_object' } : formatOf(responseFormat) }),
    ...reasoning,
    ...toolsOf(model, request, dialect, reasoning),
  }
}

/** Fields that few requests have. They are in a function of their own to keep the common body small. */
function rarerFields(request: ModelRequest): Record<string, unknown> {
  const { logprobs, hints = {} } = request
  const fields: Record<string, unknown> = {
    top_k: request.topK,
    min_p: request.minP,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    logit_bias: request.logitBias,
    verbosity: request.verbosity,
    logprobs: logprobs === undefined ? undefined : true,
    top_logprobs: logprobs || undefined,
    user: hints.user,
    safety_identifier: hints.safetyIdentifier,
    prompt_cache_key: hints.promptCacheKey,
    service_tier: hints.serviceTier,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function toolsOf(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
  reasoning: Record<string, unknown>,
): Record<string, unknown> {
  const { toolChoice, parallelToolCalls } = request
  // DeepSeek's reasoner always thinks, so its tool calls cannot be forced.
  const isThinking = (reasoning['thinking'] as { type?: string } | undefined)?.type === 'enabled'
  const usesToolChoice =
    dialect.supportsToolChoice &&
    (dialect.canForceToolWhileThinking || !isThinking || !demandsCall(toolChoice))
  const tools = usesToolChoice ? (request.tools ?? []) : callableTools(request)
  if (tools.length === 0) return {}
  return {
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(toolChoice !== undefined && usesToolChoice && { tool_choice: choiceOf(toolChoice) }),
    ...(parallelToolCalls !== undefined &&
      dialect.supportsParallelCalls(model) && { parallel_tool_calls: parallelToolCalls }),
  }
}

const choiceOf = (choice: ToolChoice): unknown =>
  typeof choice === 'object' ? { type: 'function', function: choice } : choice

function formatOf(format: ResponseFormat): object {
  if (format.type === 'json_object') return { type: 'json_object' }
  const { name, schema, strict } = format
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } }
}

function messagesOf(provider: Provider, { system, messages }: ModelRequest, dialect: Dialect): object[] {
  const head = system === undefined ? [] : [{ role: 'system', content: system }]
  return [...head, ...messages.map((message) => messageOf(provider, message, dialect))]
}

function messageOf(provider: Provider, message: ModelMessage, dialect: Dialect): object {
  if (message.role === 'user') return { role: 'user', content: contentOf(message.content) }
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.toolCallId, content: outputOf(message) }
  const { content, toolCalls = [] } = message
  const [first] = toolCalls
  if (!first) return { role: 'assistant', content }
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(dialect.needsReasoningBack && { reasoning_content: signedBy(provider, first) ?? '' }),
    tool_calls: toolCalls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    })),
  }
}

/** The format has no field for the failure of a tool. */
const outputOf = ({ output, isError = false }: Extract<ModelMessage, { role: 'tool' }>): string =>
  isError ? `Error: ${output}` : output

const contentOf = (content: string | ContentPart[]): unknown =>
  typeof content === 'string' ? content : content.map(partOf)

function partOf(part: ContentPart): object {
  if (part.type === 'text') return part
  const data = Buffer.from(part.data).toString('base64')
  return part.type === 'audio'
    ? { type: 'input_audio', input_audio: { data, format: part.format } }
    : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${data}` } }
}
