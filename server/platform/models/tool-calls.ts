import { randomBytes } from 'node:crypto'
import { sentence } from '#errors'
import { ModelError, type ModelResult, type ToolCall } from './types.ts'

/** What the tools of one reply are called with may have so many characters together, and may be nested so deep. */
const ARGUMENTS_CHARACTERS_MAX = 1024 * 1024
const NESTING_MAX = 64
/** So many calls may be begun in one reply. */
const CALLS_MAX = 128

/** A piece of a call, as a provider sends it. */
export interface ToolCallPiece {
  /** Which call of the reply it belongs to; where a server tells none, a piece with an id begins a new call. */
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

/** Puts tool calls together whose arguments come in pieces. */
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
      throw new ModelError(sentence('model.tool_input_too_large'))
  }

  /**
   * The calls, in the order in which they began. Arguments that are no JSON object become none, so that the tool says
   * what it misses and the model can correct itself; but a call that the bound on tokens has cut off is left out.
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
    if (this.#calls.length === CALLS_MAX) throw new ModelError(sentence('model.too_many_tool_calls'))
    const call = { index: index ?? this.#calls.length, id: '', name: '', argumentsText: '' }
    this.#calls.push(call)
    return call
  }
}

/** An id for a call that its provider gave none. Unique, for a conversation has many calls. */
export const newCallId = (): string => `call_${randomBytes(12).toString('hex')}`

/** What a tool is called with, as a model wrote it: nothing is none; undefined where it is no JSON object. */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    return asArguments(JSON.parse(text))
  } catch {
    return undefined // models do write broken JSON; the caller says what becomes of it
  }
}

/** A JSON object that is nested no deeper than it may be; undefined where it is something else. */
export function asArguments(value: unknown): Record<string, unknown> | undefined {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isObject && isNestedWithin(value, NESTING_MAX) ? (value as Record<string, unknown>) : undefined
}

const isNestedWithin = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== 'object' ||
  (levels > 0 && Object.values(value).every((part) => isNestedWithin(part, levels - 1)))
