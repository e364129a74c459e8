import { parseExactJson } from '#database/exact-json.ts'
import { anthropicBody } from './anthropic-request.ts'
import { describeErrorEvent, type ErrorFields, errorIn, tooMuch } from './failures.ts'
import { type ReplyText, storable } from './reply-text.ts'
import { sign } from './signatures.ts'
import { isDone } from './stream-body.ts'
import { TextTemplate } from './text-template.ts'
import { ToolCallAssembly } from './tool-calls.ts'
import { streamEvents, type Transport } from './transport.ts'
import type { ModelRequest, ModelResult, ModelTarget, ThinkingBlock } from './types.ts'
import { count, usageOf } from './usage.ts'

const VERSION = '2023-06-01'
/** Maximum characters of thinking in one reply, including signatures and redacted blocks. */
const THOUGHTS_CHARACTERS_MAX = 8 * 1024 * 1024

/** Streams a reply from Anthropic's Messages API. https://platform.claude.com/docs/en/build-with-claude/streaming */
export async function streamAnthropic(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const reader = new StreamReader(target, reply)
  await streamEvents(transport, {
    target,
    path: '/messages',
    headers: anthropicHeaders(target),
    body: anthropicBody(target, request),
    signal,
    isComplete: () => reader.isComplete,
    onEvent: ({ data }) => reader.take(data),
  })
  return reader.finish()
}

/** Reads the events of one streamed reply. */
class StreamReader {
  readonly #target: ModelTarget
  readonly #reply: ReplyText
  readonly #template = new TextTemplate()
  readonly #toolCalls = new ToolCallAssembly()
  /** Thinking blocks, keyed by content block index. */
  readonly #thoughts = new Map<number, ThinkingBlock>()
  #finishReason: ModelResult['finishReason'] | undefined
  #stopSequence: string | null | undefined
  readonly #usage: Usage = {}
  #thoughtCharacters = 0

  constructor(target: ModelTarget, reply: ReplyText) {
    this.#target = target
    this.#reply = reply
  }

  /** Processes an event. Returns true if the event is the end marker. */
  take(data: string): boolean {
    if (this.#template.pass(data, this.#reply)) return false
    if (isDone(data)) return this.isComplete
    const event = JSON.parse(data) as StreamEvent
    const { index = 0 } = event
    switch (event.type) {
      case 'content_block_delta':
        if (event.delta) this.#takeDelta(event.delta, index)
        if (event.delta?.text) this.#template.learn(data, event.delta.text)
        return false
      case 'content_block_start':
        if (event.content_block)
          this.#begin(event.content_block, index, () => (parseExactJson(data) as StreamEvent).content_block)
        return false
      case 'content_block_stop':
        this.#endThought(index)
        return false
      case 'message_start':
        addUsage(this.#usage, event.message?.usage)
        this.#usage.output_tokens = undefined
        return false
      case 'message_delta':
        addUsage(this.#usage, event.usage)
        if (event.delta) this.#stop(event.delta)
        return false
      case 'message':
        return this.#takeWhole(event, data)
      case 'message_stop':
        return true
      default:
        return this.#takeOther(event)
    }
  }

  /** Processes the reply of a server that ignores `stream`. */
  #takeWhole(message: StreamEvent, event: string): boolean {
    const exact = () => (parseExactJson(event) as StreamEvent).content ?? []
    for (const [index, block] of (message.content ?? []).entries()) {
      this.#begin(block, index, () => exact()[index])
      this.#endThought(index)
    }
    addUsage(this.#usage, message.usage)
    this.#stop(message)
    return true
  }

  #takeOther(event: StreamEvent): false {
    const error = errorIn(event, false)
    if (error !== undefined) throw describeErrorEvent(this.#target, error)
    return false
  }

  #stop({ stop_reason: reason, stop_sequence: sequence }: Stop): void {
    if (reason) this.#finishReason = FINISH_REASONS[reason] ?? 'other'
    this.#stopSequence = sequence
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined
  }

  /** `exact` reads the block from the event again, with all digits. */
  #begin(block: ContentBlock, index: number, exact: () => ContentBlock | undefined): void {
    const { type, id, name, data = '' } = block
    if (type === 'tool_use') this.#toolCalls.add({ index, id, name, argumentsText: inputIn(block, exact) })
    else if (type === 'thinking') this.#thoughts.set(index, { type, thinking: '', signature: '' })
    else if (type === 'redacted_thinking') this.#thoughts.set(index, { type, data })
    this.#countThought(data)
    if (type === 'text' || type === 'thinking') this.#takeDelta(block, index)
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

  #endThought(index: number): void {
    const thought = this.#thoughts.get(index)
    if (thought) this.#reply.thought({ ...thought })
  }

  /**
   * Throws a ModelError if the thinking exceeds the limit. Thinking stays in memory until the reply ends, because the
   * next request must return it with the tool call.
   */
  #countThought(text: string): void {
    this.#thoughtCharacters += text.length
    if (this.#thoughtCharacters > THOUGHTS_CHARACTERS_MAX) throw tooMuch(this.#target)
  }

  finish(): ModelResult {
    const finishReason = this.#finishReason ?? 'other'
    const calls = this.#toolCalls.finish(finishReason)
    const [first] = calls
    if (first && this.#thoughts.size > 0)
      first.signature = sign('anthropic', JSON.stringify([...this.#thoughts.values()]))
    for (const call of calls) this.#reply.toolCall(call)
    return {
      finishReason,
      ...(this.#stopSequence && { stopSequence: storable(this.#stopSequence) }),
      usage: totalOf(this.#usage),
    }
  }
}

interface Stop {
  stop_reason?: string | null
  stop_sequence?: string | null
}

interface StreamEvent extends ErrorFields, Stop {
  type: string
  index?: number
  content_block?: ContentBlock
  delta?: Delta & Stop
  content?: ContentBlock[]
  message?: { usage?: Usage | null }
  usage?: Usage | null
}

interface ContentBlock extends Delta {
  type: string
  id?: string
  name?: string
  input?: unknown
  data?: string
}

/** Some servers send the whole input when the call begins. */
function inputIn({ input }: ContentBlock, exact: () => ContentBlock | undefined): string {
  if (typeof input === 'string') return input
  if (!input || Object.keys(input).length === 0) return ''
  return JSON.stringify(exact()?.input)
}

interface Delta {
  text?: string
  thinking?: string
  signature?: string
  partial_json?: string
}

interface Usage {
  input_tokens?: unknown
  cache_creation_input_tokens?: unknown
  cache_read_input_tokens?: unknown
  output_tokens?: unknown
}

/** Adds counts to the known ones. Null and 0 overwrite no earlier count. */
function addUsage(known: Usage, later: Usage | null = {}): void {
  for (const [name, tokens] of Object.entries(later ?? {}) as [keyof Usage, unknown][])
    if (tokens !== null && (count(tokens) > 0 || known[name] === undefined)) known[name] = tokens
}

/**
 * Returns the total usage, or null if the provider sent no output count. Input includes the tokens read from or
 * written to the provider's cache.
 */
const totalOf = (usage: Usage): ModelResult['usage'] =>
  usage.output_tokens === undefined
    ? null
    : usageOf(
        count(usage.input_tokens) +
          count(usage.cache_creation_input_tokens) +
          count(usage.cache_read_input_tokens),
        usage.output_tokens,
        { cached: usage.cache_read_input_tokens, cacheWrite: usage.cache_creation_input_tokens },
      )

const FINISH_REASONS: Record<string, ModelResult['finishReason']> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
}

export const anthropicHeaders = ({ apiKey }: ModelTarget): Record<string, string> => ({
  'anthropic-version': VERSION,
  ...(apiKey !== null && { 'x-api-key': apiKey }),
})
