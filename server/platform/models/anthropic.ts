import { describeErrorEvent, tooMuch } from './failures.ts'
import type { ReplyText } from './reply-text.ts'
import { sign, signedBy } from './signatures.ts'
import { TextTemplate } from './text-template.ts'
import { ToolCallAssembly } from './tool-calls.ts'
import { streamEvents, type Transport } from './transport.ts'
import { type ToolResult, type Turn, turnsOf } from './turns.ts'
import type {
  ContentPart,
  ModelRequest,
  ModelResult,
  ModelTarget,
  ToolCall,
  ToolDefinition,
} from './types.ts'
import { count, usageOf } from './usage.ts'

const VERSION = '2023-06-01'
/** The format demands a bound on the reply; this one stands where the request names none. */
const MAX_TOKENS_DEFAULT = 8_192
/** Tokens for thinking: what a model is given that wants a budget. They come on top of the reply's own. */
const THINKING_BUDGET_TOKENS = 8_192
/** Thoughts of one reply may have so many characters, the sealed ones with them. */
const THOUGHTS_CHARACTERS_MAX = 8 * 1024 * 1024

/** Anthropic messages, streamed. https://platform.claude.com/docs/en/build-with-claude/streaming */
export async function streamAnthropic(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const reading = new Reading(target, reply)
  await streamEvents(transport, {
    target,
    path: '/messages',
    headers: anthropicHeaders(target),
    body: requestBody(target, request),
    signal,
    onEvent: ({ data }) => reading.take(data),
  })
  return reading.finish()
}

/** What has been read of a reply. */
class Reading {
  readonly #target: ModelTarget
  readonly #reply: ReplyText
  readonly #template = new TextTemplate()
  readonly #toolCalls = new ToolCallAssembly()
  /** Thoughts, by the index of their block. */
  readonly #thoughts = new Map<number, ThinkingBlock>()
  #finishReason: ModelResult['finishReason'] = 'other'
  readonly #usage: Usage = {}
  #thoughtCharacters = 0

  constructor(target: ModelTarget, reply: ReplyText) {
    this.#target = target
    this.#reply = reply
  }

  /** Takes an event; true with the end marker. */
  take(data: string): boolean {
    if (this.#template.pass(data, this.#reply)) return false
    const event = JSON.parse(data) as StreamEvent
    const { index = 0 } = event
    switch (event.type) {
      case 'content_block_delta':
        if (event.delta) this.#takeDelta(event.delta, index)
        if (event.delta?.text) this.#template.learn(data, event.delta.text)
        return false
      case 'content_block_start':
        if (event.content_block) this.#begin(event.content_block, index)
        return false
      case 'message_start':
        Object.assign(this.#usage, told(event.message?.usage), { output_tokens: undefined })
        return false
      case 'message_delta':
        Object.assign(this.#usage, told(event.usage))
        this.#finishReason = FINISH_REASONS[event.delta?.stop_reason ?? ''] ?? 'other'
        return false
      case 'error':
        throw describeErrorEvent(this.#target, event.error)
      default:
        return event.type === 'message_stop'
    }
  }

  #begin(block: ContentBlock, index: number): void {
    const { type, id, name, data = '' } = block
    if (type === 'tool_use') this.#toolCalls.add({ index, id, name, argumentsText: '' })
    else if (type === 'thinking') this.#thoughts.set(index, { type, thinking: '', signature: '' })
    else if (type === 'redacted_thinking') this.#thoughts.set(index, { type, data })
    this.#countThought(data)
  }

  #takeDelta({ text, thinking = '', signature = '', partial_json }: Delta, index: number): void {
    if (text) this.#reply.text(text)
    if (thinking) this.#reply.reasoning(thinking)
    if (partial_json) this.#toolCalls.add({ index, argumentsText: partial_json })
    const thought = this.#thoughts.get(index)
    if (thought?.type !== 'thinking') return
    thought.thinking += thinking
    thought.signature += signature
    this.#countThought(thinking + signature)
  }

  /** Thoughts are kept to the end of the reply, because a call of a tool takes them along. */
  #countThought(text: string): void {
    this.#thoughtCharacters += text.length
    if (this.#thoughtCharacters > THOUGHTS_CHARACTERS_MAX) throw tooMuch(this.#target)
  }

  finish(): ModelResult {
    const calls = this.#toolCalls.finish(this.#finishReason)
    const [first] = calls
    if (first && this.#thoughts.size > 0)
      first.signature = sign('anthropic', JSON.stringify([...this.#thoughts.values()]))
    for (const call of calls) this.#reply.toolCall(call)
    return { finishReason: this.#finishReason, usage: totalOf(this.#usage) }
  }
}

interface StreamEvent {
  type: string
  index?: number
  content_block?: ContentBlock
  delta?: Delta & { stop_reason?: string }
  message?: { usage?: Usage }
  usage?: Usage
  error?: unknown
}

interface ContentBlock {
  type: string
  id?: string
  name?: string
  data?: string
}

interface Delta {
  text?: string
  thinking?: string
  signature?: string
  partial_json?: string
}

/** Goes back as it came. */
type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

interface Usage {
  input_tokens?: unknown
  cache_creation_input_tokens?: unknown
  cache_read_input_tokens?: unknown
  output_tokens?: unknown
}

/** The counts of an event that are some: null says nothing, and must not undo what was told before. */
const told = (usage: Usage = {}): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== null))

/** What was read from and written to the provider's cache is input as well; without output there is no count. */
const totalOf = (usage: Usage): ModelResult['usage'] =>
  usage.output_tokens === undefined
    ? null
    : usageOf(
        count(usage.input_tokens) +
          count(usage.cache_creation_input_tokens) +
          count(usage.cache_read_input_tokens),
        usage.output_tokens,
      )

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
  const thinking = thinkingOf(model, request)
  return {
    model,
    stream: true,
    max_tokens: thinking ? maxTokens + THINKING_BUDGET_TOKENS : maxTokens,
    ...(system !== undefined && { system }),
    messages: turnsOf(messages).map((turn) => turnOf(turn, thinking !== undefined)),
    ...(thinking ? { thinking } : sampling(model, request)),
    ...(tools && tools.length > 0 && { tools: tools.map(toolOf) }),
  }
}

/**
 * Claude 3.7 was the first to think; up to 4.5 within a budget, since 4.6 as it sees fit, since 4.7 in no other way.
 * A turn that goes on after a tool's result thinks only if the thoughts before the call come along.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
function thinkingOf(model: string, { thinking, messages }: ModelRequest): object | undefined {
  const version = versionOf(model) ?? CLAUDE_4_5
  const lastCall = messages.findLast((message) => message.role === 'assistant')?.toolCalls?.[0]
  const isBetweenCalls = messages.at(-1)?.role === 'tool'
  const lacksThoughts = isBetweenCalls && lastCall !== undefined && thoughtsOf(lastCall).length === 0
  if (!thinking || version < CLAUDE_3_7 || lacksThoughts) return undefined
  return version > CLAUDE_4_5
    ? { type: 'adaptive', display: 'summarized' }
    : { type: 'enabled', budget_tokens: THINKING_BUDGET_TOKENS }
}

/** Models since 4.7 take no sampling settings; those before take one of them. */
function sampling(model: string, { temperature, topP }: ModelRequest): Record<string, number> {
  if ((versionOf(model) ?? CLAUDE_4_5) > CLAUDE_4_6) return {}
  if (temperature !== undefined) return { temperature }
  return topP === undefined ? {} : { top_p: topP }
}

const CLAUDE_3_7 = 307
const CLAUDE_4_5 = 405
const CLAUDE_4_6 = 406

/** Of claude-3-7-sonnet 307, of claude-opus-4-1-20250805 401; undefined for another's model behind this format. */
function versionOf(model: string): number | undefined {
  const [, major, minor = 0] = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  return major === undefined ? undefined : Number(major) * 100 + Number(minor)
}

const toolOf = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  input_schema: parameters,
})

function turnOf(turn: Turn, isThinking: boolean): object {
  if (Array.isArray(turn)) return { role: 'user', content: turn.map(toolResultOf) }
  if (turn.role === 'user') return { role: 'user', content: contentOf(turn.content) }
  const [first] = turn.toolCalls ?? []
  return {
    role: 'assistant',
    content: [
      ...(first && isThinking ? thoughtsOf(first) : []),
      ...(turn.content === '' ? [] : [{ type: 'text', text: turn.content }]),
      ...(turn.toolCalls ?? []).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
  }
}

const thoughtsOf = (call: ToolCall): object[] => JSON.parse(signedBy('anthropic', call) ?? '[]') as object[]

const toolResultOf = ({ toolCallId, output }: ToolResult): object => ({
  type: 'tool_result',
  tool_use_id: toolCallId,
  content: output,
})

const contentOf = (content: string | ContentPart[]): unknown =>
  typeof content === 'string' ? content : content.map(partOf)

const partOf = (part: ContentPart): object =>
  part.type === 'text'
    ? part
    : {
        type: 'image',
        source: {
          type: 'base64',
          media_type: part.mimeType,
          data: Buffer.from(part.data).toString('base64'),
        },
      }
