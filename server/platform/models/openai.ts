import { parseExactJson } from '#database/exact-json.ts'
import { reasonFor } from '#errors'
import { describeErrorEvent, type ErrorFields, errorIn } from './failures.ts'
import { type ChunkChoice, callsIn, contentOfParts, type Delta, reasoningOf } from './openai-content.ts'
import { DIALECTS, type Dialect } from './openai-dialects.ts'
import { type ReportedUsage, usageIn } from './openai-usage.ts'
import { withoutRefused } from './refused-fields.ts'
import type { ReplyText } from './reply-text.ts'
import { withFormatInstruction } from './response-format.ts'
import { sign, signedBy } from './signatures.ts'
import { isDone } from './stream-body.ts'
import { TextTemplate } from './text-template.ts'
import { ThinkTags } from './think-tags.ts'
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
import { laterUsage } from './usage.ts'

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
  let reader = new StreamReader(target, reply, dialect)
  let body = requestBody(target, request, dialect)
  await streamEvents(transport, {
    target,
    path: '/chat/completions',
    headers: authorization(target),
    body,
    signal,
    isComplete: () => reader.isComplete,
    onEvent: ({ data }) => reader.take(data),
    onRefusal(refusal) {
      const other = reply.hasBegun ? undefined : withoutRefused(body, refusal, request)
      if (other) reader = new StreamReader(target, reply, dialect)
      body = other ?? body
      return other
    },
  })
  return reader.finish()
}

/** The type of an object that contains a whole reply. */
const WHOLE = 'chat.completion'

/** Reads the events of one streamed reply. */
class StreamReader {
  readonly #target: ModelTarget
  readonly #reply: ReplyText
  readonly #dialect: Dialect
  /** Receives the text: the reply, or a filter for servers that leave thoughts in the text. */
  readonly #text: ThinkTags | ReplyText
  readonly #template = new TextTemplate()
  readonly #toolCalls = new ToolCallAssembly()
  #finishReason: ModelResult['finishReason'] | undefined
  #usage: ModelUsage | null = null
  #reasoning = ''
  /** The field in which the first content arrived. */
  #source: 'delta' | 'message' | 'text' | undefined
  #hasRefusal = false

  constructor(target: ModelTarget, reply: ReplyText, dialect: Dialect) {
    this.#target = target
    this.#reply = reply
    this.#dialect = dialect
    this.#text = dialect.mayMixThoughts
      ? new ThinkTags(reply, (number, name, argumentsText) =>
          this.#toolCalls.add({ index: `text ${number}`, name, argumentsText }),
        )
      : reply
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined
  }

  /** Processes an event. Returns true if the event is the end marker. */
  take(data: string): boolean {
    if (this.#template.pass(data, this.#text)) return false
    if (isDone(data)) return true
    const chunk = JSON.parse(data) as Chunk
    const choice = chunk.choices?.[0]
    const error = errorIn(chunk, choice !== undefined)
    if (error !== undefined) throw describeErrorEvent(this.#target, error)
    this.#usage = laterUsage(this.#usage, usageIn(chunk, choice))
    if (choice && this.#takeChoice(choice, chunk, data)) {
      const { content } = choice.delta ?? {}
      this.#template.learn(data, typeof content === 'string' ? content : '')
    }
    return false
  }

  /** Processes a choice. Returns true if it contains only the text of a delta. */
  #takeChoice(choice: ChunkChoice, { object }: Chunk, data: string): boolean {
    const { delta, message, text, finish_reason: reason } = choice
    const logprobs = choice.logprobs?.content
    const isText = delta ? this.#takeDelta(delta, logprobs, 'delta', data) : false
    // The last chunk of some servers repeats the whole reply as a message.
    const isRepeated = this.#source === 'delta' || (this.#source !== undefined && object === WHOLE)
    if (message && !isRepeated) this.#takeDelta(message, logprobs, 'message', data)
    if (typeof text === 'string' && (this.#source ?? 'text') === 'text') this.#say(text, undefined, 'text')
    if (choice.error || (reason && FAILED.test(reason)))
      throw describeErrorEvent(this.#target, choice.error ?? choice.message ?? '')
    if (reason) this.#finishReason = finishReasonOf(reason)
    else if (message && object === WHOLE) this.#finishReason ??= 'other'
    return isText && !message && text === undefined
  }

  /** Processes a delta. Returns true if the delta contains only text. */
  #takeDelta(
    delta: Delta,
    logprobs: TokenLogprob[] | null | undefined,
    source: 'delta' | 'message',
    data: string,
  ): boolean {
    const { content } = delta
    const parts = content && typeof content !== 'string' ? contentOfParts(content) : undefined
    const reasoning = reasoningOf(delta) + (parts?.reasoning ?? '')
    const hasReasoning = reasoning !== ''
    if (hasReasoning) {
      this.#source ??= source
      this.#reply.reasoning(reasoning)
      if (this.#dialect.needsReasoningBack) this.#reasoning += reasoning
    }
    const text = parts ? parts.text : content
    const hasText = typeof text === 'string' && text !== ''
    if (hasText) this.#say(text, logprobs ?? undefined, source)
    const refusal = parts?.refusal || delta.refusal
    if (typeof refusal === 'string' && refusal !== '') {
      this.#source ??= source
      this.#hasRefusal = true
      this.#reply.refusal(refusal)
    }
    const hasCalls = Boolean(delta.tool_calls ?? delta.function_call)
    if (hasCalls) this.#takeCalls(delta, source, data)
    return hasText && !hasReasoning && !refusal && !parts && !hasCalls && !logprobs
  }

  /** Adds fragments of tool calls. Arguments that are objects are read from the event again, with all digits. */
  #takeCalls(delta: Delta, source: 'delta' | 'message', data: string): void {
    const isText = callsIn(delta).every(({ function: called }) => typeof called?.arguments !== 'object')
    const exact = isText ? delta : ((parseExactJson(data) as Chunk).choices?.[0]?.[source] ?? delta)
    for (const { index, id, function: called } of callsIn(exact))
      this.#toolCalls.add({ index, id, name: called?.name, argumentsText: textOf(called?.arguments) })
  }

  #say(text: string, logprobs: TokenLogprob[] | undefined, source: 'delta' | 'message' | 'text'): void {
    if (text === '') return
    this.#source ??= source
    this.#text.text(text, logprobs)
  }

  finish(): ModelResult {
    if (this.#text instanceof ThinkTags) this.#text.end()
    const given = this.#finishReason ?? 'other'
    const calls = this.#toolCalls.finish(given)
    const [first] = calls
    if (first && this.#reasoning !== '') first.signature = sign(this.#target.provider, this.#reasoning)
    for (const call of calls) this.#reply.toolCall(call)
    // Some servers send `stop` as the finish reason of a reply with tool calls.
    const finishReason = first && given === 'stop' ? 'tool_calls' : given
    return { finishReason: this.#hasRefusal && !first ? 'refusal' : finishReason, usage: this.#usage }
  }
}

interface Chunk extends ErrorFields, ReportedUsage {
  object?: unknown
  choices?: ChunkChoice[] | null
}

/** Returns a tool call's arguments as a JSON string. Some servers send an object instead of a string. */
const textOf = (sent: unknown): string =>
  typeof sent === 'string' ? sent : sent === undefined || sent === null ? '' : JSON.stringify(sent)

/** Finish reasons of OpenAI, and those that gateways pass on from other providers. */
const FINISH_REASONS: Record<string, ModelResult['finishReason']> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  max_length: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  tool_calls: 'tool_calls',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  content_filtered: 'content_filter',
  safety: 'content_filter',
  sensitive: 'content_filter',
  recitation: 'content_filter',
  prohibited_content: 'content_filter',
  blocklist: 'content_filter',
  spii: 'content_filter',
  refusal: 'refusal',
}

const finishReasonOf = (reason: string): ModelResult['finishReason'] =>
  FINISH_REASONS[reason.toLowerCase()] ?? 'other'

/** Finish reasons of replies that failed. */
const FAILED = /(?:^|_)error$|^fail|^abort|malformed|^insufficient_system_resource$/i

export const authorization = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }

function requestBody(
  { provider, model, omit }: ModelTarget,
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
    ...(!omit?.includes('stream_options') && { stream_options: { include_usage: true } }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && stop.length > 0 && { stop }),
    ...request.extra,
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
  if (message.role === 'system') return message
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
