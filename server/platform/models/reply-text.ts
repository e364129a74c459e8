import { ModelError, type ModelSink, type ToolCall } from './types.ts'

/** The text of a reply, and what its tools are called with, may have so many characters. */
const REPLY_CHARACTERS_MAX = 8 * 1024 * 1024
const ARGUMENTS_CHARACTERS_MAX = 1024 * 1024
const TOOL_CALLS_MAX = 128

/**
 * Stands between an adapter and its sink, so that what a sink gets can be stored and sent on: well-formed Unicode
 * without NUL. A provider may cut text anywhere, in the middle of a surrogate pair too: the first half waits for the
 * second. What is half for good, and NUL, becomes U+FFFD.
 */
export class ReplyText {
  readonly #sink: ModelSink
  #heldText = ''
  #heldReasoning = ''
  #characters = 0

  constructor(sink: ModelSink) {
    this.#sink = sink
  }

  text(text: string): void {
    const whole = this.#heldText + text
    this.#heldText = trailingHalf(whole)
    const ready = this.#ready(whole, this.#heldText)
    if (ready !== '') this.#sink.text(ready)
  }

  reasoning(text: string): void {
    const whole = this.#heldReasoning + text
    this.#heldReasoning = trailingHalf(whole)
    const ready = this.#ready(whole, this.#heldReasoning)
    if (ready !== '') this.#sink.reasoning(ready)
  }

  toolCall(call: ToolCall): void {
    this.#sink.toolCall(call)
  }

  /** Nothing more comes: a half that still waits is half for good. */
  end(): void {
    if (this.#heldReasoning !== '') this.#sink.reasoning('\ufffd')
    if (this.#heldText !== '') this.#sink.text('\ufffd')
  }

  #ready(whole: string, held: string): string {
    this.#characters += whole.length
    if (this.#characters > REPLY_CHARACTERS_MAX)
      throw new ModelError('The reply became longer than a reply can be')
    return storable(held === '' ? whole : whole.slice(0, -1))
  }
}

function trailingHalf(text: string): string {
  const code = text.charCodeAt(text.length - 1)
  return code >= 0xd800 && code <= 0xdbff ? text.slice(-1) : ''
}

const storable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\ufffd')

interface Assembling {
  id?: string
  name?: string
  signature?: string
  argumentsText: string
}

/** Puts tool calls together whose arguments come in pieces. */
export class ToolCallAssembly {
  readonly #calls = new Map<number, Assembling>()

  add(index: number, piece: Assembling): void {
    const call = this.#calls.get(index) ?? { argumentsText: '' }
    const argumentsText = call.argumentsText + piece.argumentsText
    if (this.#calls.size > TOOL_CALLS_MAX || argumentsText.length > ARGUMENTS_CHARACTERS_MAX)
      throw new ModelError('The model called tools with more than can be taken')
    this.#calls.set(index, { ...call, ...piece, argumentsText })
  }

  /** The calls, in order. Arguments that are no JSON object become none: the tool then says what it misses. */
  finish(): ToolCall[] {
    return [...this.#calls.entries()]
      .sort(([a], [b]) => a - b)
      .map(([index, { id, name, signature, argumentsText }]) => ({
        id: id ?? `call_${index}`,
        name: name ?? '',
        input: parseArguments(argumentsText),
        ...(signature !== undefined && { signature }),
      }))
  }
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}
