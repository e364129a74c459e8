import { isExactNumber } from '#database/exact-json.ts'
import { reasonFor } from '#errors'
import { newCallId } from './tool-calls.ts'
import { ModelError, type ModelSink, type ThinkingBlock, type TokenLogprob, type ToolCall } from './types.ts'

/** Maximum characters of a reply's text and reasoning together. @limit text and reasoning of a reply */
const REPLY_CHARACTERS_MAX = 8 * 1024 * 1024
const TOOL_CALLS_MAX = 128

/**
 * Passes an adapter's output to the sink as storable text: well-formed Unicode without NUL. A provider may split text
 * anywhere, even inside a surrogate pair. The first half of a pair is held back until the second half arrives. Lone
 * surrogates and NUL become U+FFFD.
 */
export class ReplyText {
  readonly #sink: ModelSink
  #heldText = ''
  #heldReasoning = ''
  #heldRefusal = ''
  #hasText = false
  #characters = 0
  #toolCalls = 0
  readonly #callIds = new Set<string>()
  readonly #takesOneCall: boolean
  #onBegin: (() => void) | undefined
  #hasBegun = false

  /**
   * `takesOneCall` drops all tool calls after the first call, for models that cannot disable parallel calls.
   * `onBegin` is called before the first output.
   */
  constructor(sink: ModelSink, { takesOneCall = false, onBegin }: ReplyTextOptions = {}) {
    this.#sink = sink
    this.#takesOneCall = takesOneCall
    this.#onBegin = onBegin
  }

  text(text: string, logprobs?: TokenLogprob[]): void {
    const whole = this.#heldText + text
    this.#heldText = trailingHalf(whole)
    const ready = this.#ready(whole, this.#heldText)
    if (!this.#hasText && VISIBLE.test(ready)) this.#hasText = true
    if (ready !== '' || logprobs) this.#sink.text(ready, logprobs)
  }

  /** A refusal is text, but formats with a field for refusals keep it apart. */
  refusal(text: string): void {
    const { refusal } = this.#sink
    if (!refusal) return this.text(text)
    this.#hasText = true
    const whole = this.#heldRefusal + text
    this.#heldRefusal = trailingHalf(whole)
    const ready = this.#ready(whole, this.#heldRefusal)
    if (ready !== '') refusal(ready)
  }

  /** True if the reply has a visible character or a tool call. */
  get hasAnswer(): boolean {
    return this.#hasText || this.#toolCalls > 0
  }

  reasoning(text: string): void {
    const whole = this.#heldReasoning + text
    this.#heldReasoning = trailingHalf(whole)
    const ready = this.#ready(whole, this.#heldReasoning)
    if (ready !== '') this.#sink.reasoning(ready)
  }

  /** Ids that are blank or already in use are replaced. */
  toolCall({ id, name, input, argumentsText, fault, signature }: ToolCall): void {
    this.#begin()
    this.#toolCalls += 1
    if (this.#toolCalls > TOOL_CALLS_MAX)
      throw new ModelError(reasonFor('model.too_many_tool_calls', { limit: TOOL_CALLS_MAX }))
    if (this.#takesOneCall && this.#toolCalls > 1) return
    const ownId = id.trim() === '' || this.#callIds.has(id) ? newCallId() : id
    this.#callIds.add(ownId)
    this.#sink.toolCall({
      id: storable(ownId),
      name: storable(name),
      input: storableValue(input) as Record<string, unknown>,
      ...(argumentsText !== undefined && { argumentsText: storable(argumentsText) }),
      ...(fault !== undefined && { fault: storable(fault) }),
      ...(signature !== undefined && { signature: storable(signature) }),
    })
  }

  thought(block: ThinkingBlock): void {
    this.#begin()
    this.#sink.thought?.(storableValue(block) as ThinkingBlock)
  }

  /** Flushes held surrogates as U+FFFD. Call this after the last output. */
  end(): void {
    if (this.#heldReasoning !== '') this.#sink.reasoning(REPLACEMENT)
    if (this.#heldText !== '') this.#sink.text(REPLACEMENT)
    if (this.#heldRefusal !== '') this.#sink.refusal?.(REPLACEMENT)
  }

  #ready(whole: string, held: string): string {
    this.#begin()
    this.#characters += whole.length
    if (this.#characters > REPLY_CHARACTERS_MAX)
      throw new ModelError(reasonFor('model.reply_too_long', { limit: REPLY_CHARACTERS_MAX }))
    return storable(held === '' ? whole : whole.slice(0, -1))
  }

  /** True after the first output. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  #begin(): void {
    this.#hasBegun = true
    this.#onBegin?.()
    this.#onBegin = undefined
  }
}

interface ReplyTextOptions {
  takesOneCall?: boolean
  onBegin?: () => void
}

const VISIBLE = /\S/
const REPLACEMENT = '\ufffd'

function trailingHalf(text: string): string {
  const code = text.charCodeAt(text.length - 1)
  return code >= 0xd800 && code <= 0xdbff ? text.slice(-1) : ''
}

/** Returns the string with U+FFFD in place of NUL and lone surrogates. PostgreSQL can store neither. */
export const storable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', REPLACEMENT)

/** Applies `storable` to all strings and property names of a JSON value. */
function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(storableValue)
  if (value === null || typeof value !== 'object' || isExactNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [storable(name), storableValue(part)]),
  )
}
