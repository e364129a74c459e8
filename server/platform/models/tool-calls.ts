import { randomBytes } from 'node:crypto'
import { sentence } from '#errors'
import { ModelError, type ModelResult, type ToolCall } from './types.ts'

/** Maximum characters of all tool arguments of one reply, and their maximum nesting depth. */
const ARGUMENTS_CHARACTERS_MAX = 1024 * 1024
const NESTING_MAX = 64
/** Maximum tool calls in one reply. */
const CALLS_MAX = 128

/** A fragment of a tool call in a provider's stream. */
export interface ToolCallPiece {
  /** Identifies the call. If a server sends no index, a fragment with an id starts a new call. */
  index?: unknown
  id?: unknown
  name?: unknown
  argumentsText: string
}

interface PartialCall {
  index: unknown
  id: string
  name: string
  argumentsText: string
}

/** Assembles tool calls from fragments. */
export class ToolCallAssembly {
  readonly #calls: PartialCall[] = []
  #characters = 0

  add({ index, id, name, argumentsText }: ToolCallPiece): void {
    const call = this.#find(index, id)
    if (typeof id === 'string' && id !== '') call.id = id
    if (typeof name === 'string' && name !== '') call.name = name
    call.argumentsText += argumentsText
    this.#characters += argumentsText.length
    if (this.#characters > ARGUMENTS_CHARACTERS_MAX)
      throw new ModelError(sentence('model.tool_input_too_large', { limit: ARGUMENTS_CHARACTERS_MAX }))
  }

  /**
   * Returns the calls in the order in which they started. Arguments that are not a JSON object become `{}`, so the
   * tool reports what is missing and the model can correct itself. A call that the token limit cut off is dropped.
   */
  finish(finishReason: ModelResult['finishReason']): ToolCall[] {
    return this.#calls.flatMap(({ id, name, argumentsText }) => {
      const input = parseArguments(argumentsText)
      if (input === undefined && finishReason === 'length') return []
      return { id: id || newCallId(), name, input: input ?? {} }
    })
  }

  #find(index: unknown, id: unknown): PartialCall {
    const last = this.#calls.at(-1)
    const isLast = last && (index === undefined ? !id || id === last.id : index === last.index)
    const known = isLast ? last : this.#calls.find((call) => index !== undefined && call.index === index)
    // Some servers give every call the same index; their ids tell them apart.
    if (known && !(id && known.id && id !== known.id)) return known
    if (this.#calls.length === CALLS_MAX)
      throw new ModelError(sentence('model.too_many_tool_calls', { limit: CALLS_MAX }))
    const call = { index: index ?? this.#calls.length, id: '', name: '', argumentsText: '' }
    this.#calls.push(call)
    return call
  }
}

/** Returns an id for a call without one. Unique across a conversation. */
export const newCallId = (): string => `call_${randomBytes(12).toString('hex')}`

/** Parses the arguments that a model wrote. An empty text is `{}`. Returns undefined if it is not a JSON object. */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    return asArguments(JSON.parse(text))
  } catch {
    return undefined // models do write invalid JSON; the caller handles it
  }
}

/** Returns a JSON object within the nesting limit, or undefined for anything else. */
export function asArguments(value: unknown): Record<string, unknown> | undefined {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isObject && isNestedWithin(value, NESTING_MAX) ? (value as Record<string, unknown>) : undefined
}

const isNestedWithin = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== 'object' ||
  (levels > 0 && Object.values(value).every((part) => isNestedWithin(part, levels - 1)))
