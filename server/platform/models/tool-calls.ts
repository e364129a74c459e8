import { randomBytes } from 'node:crypto'
import { reasonFor } from '#errors'
import { type CallArguments, readCallArguments } from './call-arguments.ts'
import { ModelError, type ModelResult, type ToolCall } from './types.ts'

/** Maximum total characters of the tool arguments of one reply. */
const ARGUMENTS_CHARACTERS_MAX = 1024 * 1024
/** Maximum tool calls in one reply. @limit tool calls of a model in one answer */
const CALLS_MAX = 128
/** Maximum attempts per reply to find out whether a fragment with a name begins another call. */
const COMPARISONS_MAX = 200

/** Maximum characters of a tool's name, far beyond those that providers allow. */
const NAME_CHARACTERS_MAX = 1_000

/** A fragment of a tool call in a provider's stream. */
export interface ToolCallPiece {
  /** Index of the call. Without an index, a fragment with a new id starts a new call. */
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
  /** The latest fragment, if each fragment so far repeats the one before it and adds to it. Otherwise null. */
  snapshot: string | null
}

/** Assembles tool calls from streamed fragments, as different as servers send them. */
export class ToolCallAssembly {
  readonly #calls: PartialCall[] = []
  #characters = 0
  #comparisons = 0

  add({ index: given, id: givenId, name: givenName, argumentsText }: ToolCallPiece): void {
    const index = given ?? undefined
    const id = textOr(givenId).trim()
    const name = textOr(givenName).trim()
    this.#characters += argumentsText.length + name.length
    if (this.#characters > ARGUMENTS_CHARACTERS_MAX)
      throw new ModelError(reasonFor('model.tool_input_too_large', { limit: ARGUMENTS_CHARACTERS_MAX }))
    const known = this.#knownBy(index, id)
    const call =
      known && !this.#beginsAnother(known, { index, id, name, argumentsText }) ? known : this.#begin(index)
    if (call.id === '') call.id = id
    call.name = nameWith(call.name, name)
    if (argumentsText === '') return
    call.argumentsText += argumentsText
    if (call.snapshot !== null) call.snapshot = argumentsText.startsWith(call.snapshot) ? argumentsText : null
  }

  /** Returns the calls in the order in which they started. Drops a call that the token limit cut off. */
  finish(finishReason: ModelResult['finishReason']): ToolCall[] {
    const ids = new Set<string>()
    return this.#calls.flatMap(({ id: givenId, name, argumentsText, snapshot }) => {
      const joined = readCallArguments(argumentsText)
      const read = joined.fault === undefined || snapshot === null ? joined : betterOf(joined, snapshot)
      if (read.fault !== undefined && finishReason === 'length') return []
      if (name === '' && argumentsText === '') return []
      const id = givenId === '' || ids.has(givenId) ? newCallId() : givenId
      ids.add(id)
      return callOf(id, name, read)
    })
  }

  /** Returns the call with the index or, without an index, the call with the id, or else the latest call. */
  #knownBy(index: unknown, id: string): PartialCall | undefined {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index)
    const named = id === '' ? undefined : this.#calls.findLast((call) => call.id === id)
    return named ?? this.#calls.at(-1)
  }

  /**
   * Returns whether a fragment begins another call than the known one, although it may have the same index or id. Only
   * a fragment with a name can. Some servers repeat the name in each fragment, or send a new id with each.
   */
  #beginsAnother(known: PartialCall, piece: ToolCallPiece & { id: string; name: string }): boolean {
    const { index, id, name, argumentsText } = piece
    if (name === '' || known.name === '') return false
    const hasNewId = id !== '' && known.id !== '' && id !== known.id
    const isSameName = name === known.name
    if (known.argumentsText.trim() === '')
      return isSameName ? hasNewId && index === undefined : hasNewId || index === undefined
    if (!isSameName) return true
    const state = this.#stateOf(known)
    if (state === 'open') return false
    if (hasNewId) return true
    if (state === 'empty' || argumentsText.trim() === '') return false
    return argumentsText.trim() !== known.argumentsText.trim() && argumentsText.trimStart().startsWith('{')
  }

  /** Returns whether the arguments so far are complete, `{}`, or open. */
  #stateOf({ argumentsText }: PartialCall): 'complete' | 'empty' | 'open' {
    const text = argumentsText.trim()
    if (!/[}"`~]$/.test(text) || this.#comparisons === COMPARISONS_MAX) return 'open'
    this.#comparisons += 1
    const { input, fault } = readCallArguments(text)
    if (fault !== undefined) return 'open'
    return Object.keys(input).length === 0 ? 'empty' : 'complete'
  }

  #begin(index: unknown): PartialCall {
    if (this.#calls.length === CALLS_MAX)
      throw new ModelError(reasonFor('model.too_many_tool_calls', { limit: CALLS_MAX }))
    const call = { index: index ?? this.#calls.length, id: '', name: '', argumentsText: '', snapshot: '' }
    this.#calls.push(call)
    return call
  }
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the name with a fragment, which is the rest of the name, the whole name once more, or its longer beginning. */
function nameWith(known: string, piece: string): string {
  if (piece === '' || piece === known) return known
  return piece.startsWith(known) ? piece : known + piece
}

/** Some servers repeat all arguments so far in each fragment, so the latest fragment is the whole. */
function betterOf(joined: CallArguments, snapshot: string): CallArguments {
  const read = readCallArguments(snapshot)
  return read.fault === undefined ? read : joined
}

/** Returns a call with arguments as the model wrote them. */
export const callOf = (id: string, name: string, { input, text, fault }: CallArguments): ToolCall => ({
  id,
  name: bareName(name),
  input,
  argumentsText: text,
  ...(fault !== undefined && { fault }),
})

/**
 * Returns a tool's name without what models add to it: blanks, quotation marks, parentheses, the namespaces of gpt-oss and
 * Kimi (`functions`, with a number) and of Gemini (`default_api`), and tokens of gpt-oss.
 */
const bareName = (name: string): string =>
  name
    .slice(0, NAME_CHARACTERS_MAX)
    .replace(/<\|.*$/s, '')
    .replace(/^[\s"'`]+|(?:\(\))?[\s"'`]*$/g, '')
    .replace(/^(?:functions|default_api)[.:]([^:]+)(?::\d+)?$/, '$1')

/** Returns the arguments of a call as text: as the model wrote them, if they are known. */
export const argumentsTextOf = ({ input, argumentsText = JSON.stringify(input) }: ToolCall): string =>
  argumentsText

/** Generates a unique id for a call without one. */
export const newCallId = (): string => `call_${randomBytes(12).toString('hex')}`
