import { newId } from '#database/new-id.ts'
import { anthropicError } from '#platform/http/wire-errors.ts'
import { signerOf } from '#platform/models/signatures.ts'
import { argumentsTextOf } from '#platform/models/tool-calls.ts'
import type { ModelSink, ThinkingBlock, ToolCall } from '#platform/models/types.ts'
import type { Outcome } from '../llm/index.ts'
import { UNSIGNED } from './read-messages.ts'
import type { MessageView } from './schemas.ts'

type TextBlock = { type: 'text'; text: string }
/** A block to which text is still added. */
type OpenBlock = TextBlock | Extract<ThinkingBlock, { type: 'thinking' }>
type ReplyBlock =
  | TextBlock
  | ThinkingBlock
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

export interface MessageEvent {
  type: string
}

/**
 * Builds a message in Anthropic's format and emits its events. Its blocks have the order of the model's output.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessageWriter {
  readonly #id = `msg_${newId()}`
  readonly #send: (event: MessageEvent) => void
  readonly #blocks: ReplyBlock[] = []
  #open: OpenBlock | null = null
  #model = ''
  /** Events that arrived before the answering model was known. Null from then on. */
  #early: MessageEvent[] | null = []

  constructor(send: (event: MessageEvent) => void) {
    this.#send = send
  }

  /** Emits the first events, which name the model that answers. */
  begin(model: string): void {
    const early = this.#early ?? []
    this.#early = null
    this.#model = model
    this.#emitEvent('message_start', { message: { ...this.#view(null), content: [] } })
    this.#emitEvent('ping', {})
    for (const event of early) this.#send(event)
  }

  readonly sink: ModelSink = {
    text: (text) => {
      if (text === '') return
      const block = this.#open?.type === 'text' ? this.#open : this.#beginText({ type: 'text', text: '' })
      block.text += text
      this.#emitDelta({ type: 'text_delta', text })
    },
    reasoning: (thinking) => {
      const block = this.#openThinking()
      block.thinking += thinking
      this.#emitDelta({ type: 'thinking_delta', thinking })
    },
    thought: (block) => {
      if (block.type === 'thinking') this.#sign(this.#openThinking(), block.signature)
      else this.#addWhole(block)
    },
    toolCall: (call) => this.#addCall(call),
  }

  /** Ends the message, and emits the last events. Emits only an error if the call failed. */
  end(outcome: Outcome, requestId: string): MessageView {
    this.#close()
    const message = this.#view(outcome)
    if (outcome.failure) this.#send(anthropicError(outcome.failure, requestId))
    else {
      const { stop_reason, stop_sequence, usage } = message
      this.#emitEvent('message_delta', { delta: { stop_reason, stop_sequence }, usage })
      this.#emitEvent('message_stop', {})
    }
    return message
  }

  #openThinking() {
    return this.#open?.type === 'thinking'
      ? this.#open
      : this.#beginText({ type: 'thinking', thinking: '', signature: '' })
  }

  #beginText<Block extends OpenBlock>(block: Block): Block {
    this.#begin(block, { ...block })
    this.#open = block
    return block
  }

  #begin(block: ReplyBlock, shown: object): void {
    this.#close()
    this.#blocks.push(block)
    this.#emitEvent('content_block_start', { index: this.#index, content_block: shown })
  }

  #close(): void {
    if (this.#open?.type === 'thinking') return this.#sign(this.#open, UNSIGNED)
    if (this.#open) this.#stop()
  }

  #sign(block: { signature: string }, signature: string): void {
    block.signature = signature
    this.#emitDelta({ type: 'signature_delta', signature })
    this.#stop()
  }

  #addWhole(block: ReplyBlock): void {
    this.#begin(block, block)
    this.#stop()
  }

  /** A redacted block carries the signature that a provider other than Anthropic requires with the call. */
  #addCall(call: ToolCall): void {
    const { id, name, signature = '' } = call
    const input = call.fault === undefined ? call.input : { [UNREADABLE]: argumentsTextOf(call) }
    const signer = signerOf(signature)
    if (signer !== undefined && signer !== 'anthropic')
      this.#addWhole({ type: 'redacted_thinking', data: signature })
    this.#begin({ type: 'tool_use', id, name, input }, { type: 'tool_use', id, name, input: {} })
    this.#emitDelta({
      type: 'input_json_delta',
      partial_json: call.fault === undefined ? argumentsTextOf(call) : JSON.stringify(input),
    })
    this.#stop()
  }

  #stop(): void {
    this.#open = null
    this.#emitEvent('content_block_stop', { index: this.#index })
  }

  get #index(): number {
    return this.#blocks.length - 1
  }

  #emitDelta(delta: object): void {
    this.#emitEvent('content_block_delta', { index: this.#index, delta })
  }

  #emitEvent(type: string, data: object): void {
    const event = { type, ...data }
    if (this.#early) this.#early.push(event)
    else this.#send(event)
  }

  #view(outcome: Outcome | null): MessageView {
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content: [...this.#blocks],
      stop_reason: outcome && !outcome.failure ? stopReasonOf(outcome) : null,
      stop_sequence: outcome?.stopSequence ?? null,
      usage: usageOf(outcome),
    }
  }
}

/** Property for arguments that are no JSON object, as Anthropic's guide of fine-grained tool streaming names it. */
const UNREADABLE = 'INVALID_JSON'

const stopReasonOf = ({ finishReason, stopSequence }: Outcome): string =>
  stopSequence === undefined ? STOP_REASONS[finishReason ?? 'other'] : 'stop_sequence'

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  other: 'end_turn',
} as const

/** Anthropic's input tokens exclude the tokens that the provider read from or wrote to its cache. */
function usageOf(outcome: Outcome | null) {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = outcome?.usage ?? {}
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  }
}
