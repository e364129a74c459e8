import { isExactNumber, parseExactJson } from '#database/exact-json.ts'
import type { StoredToolCall } from '#database/schema/chat.ts'
import { sentence } from '#errors'
import { isRecord } from '../http/is-record.ts'
import type { ToolOutcome } from './tool-loop.ts'
import type { ToolCall } from './types.ts'
import { writeJson } from './write-json.ts'

/** Maximum characters of JSON stored for one tool input or output. */
const KEPT_CHARACTERS_MAX = 64 * 1024
/**
 * Maximum characters stored for all tool calls of a reply. After that, each input and output is truncated to
 * KEPT_CHARACTERS_MIN.
 */
const KEPT_OF_REPLY_MAX = 1024 * 1024
const KEPT_CHARACTERS_MIN = 200
const NAME_CHARACTERS_MAX = 200

export const CUT_OFF = sentence('tool.cut_off')

/** Sends an event to the reply's readers. Returns the event's number among the reply's named events. */
export type EmitToolEvent = (data: ToolEvent) => number

/** The event for a started or finished tool call. */
export type ToolEvent =
  | Pick<StoredToolCall, 'id' | 'name' | 'input' | 'output'>
  | Pick<StoredToolCall, 'id' | 'name' | 'successful' | 'error' | 'input' | 'output'>

/**
 * Records the tool calls of a streaming reply, and sends an event when a call starts or ends. Truncates long inputs
 * and outputs. A stored call equals the call in its events, so a resumed reader sees the same call.
 */
export class ReplyCalls {
  readonly stored: StoredToolCall[] = []
  readonly #emit: EmitToolEvent
  readonly #open = new Map<string, StoredToolCall>()
  #charactersLeft = KEPT_OF_REPLY_MAX
  #changes = 0

  constructor(emit: EmitToolEvent) {
    this.#emit = emit
  }

  /** Number of call starts and ends so far. */
  get changes(): number {
    return this.#changes
  }

  begin({ id, name, input }: ToolCall): void {
    const started = {
      id: id.slice(0, NAME_CHARACTERS_MAX).toWellFormed(),
      name: name.slice(0, NAME_CHARACTERS_MAX).toWellFormed(),
      input: this.#keep(input),
      output: null,
    }
    const call = {
      ...started,
      successful: null,
      error: null,
      started_event: this.#emit(started),
      ended_event: null,
    }
    this.stored.push(call)
    this.#open.set(id, call)
    this.#changes += 1
  }

  end({ id }: Pick<ToolCall, 'id'>, outcome: ToolOutcome): void {
    const call = this.#open.get(id)
    if (!call) return
    this.#open.delete(id)
    Object.assign(call, {
      successful: outcome.successful,
      error: outcome.error,
      output: outcome.successful ? this.#keep(outcome.output) : {},
    })
    call.ended_event = this.#emit(endEvent(call))
    this.#changes += 1
  }

  /** Ends the open calls with the error CUT_OFF. */
  close(): void {
    for (const id of [...this.#open.keys()])
      this.end({ id }, { output: null, successful: false, error: CUT_OFF })
  }

  #keep(value: unknown): Record<string, unknown> {
    const stored = truncateValue(
      value,
      Math.max(KEPT_CHARACTERS_MIN, Math.min(KEPT_CHARACTERS_MAX, this.#charactersLeft)),
    )
    this.#charactersLeft -= stored.characters
    return stored.value
  }
}

/**
 * Returns an object unchanged, and any other value as `{ result }`. Truncates a long value to its beginning and a
 * remark. Returns {} for values that have no JSON form.
 */
function truncateValue(
  value: unknown,
  charactersMax: number,
): { value: Record<string, unknown>; characters: number } {
  const written = writeJson(value ?? null, charactersMax)
  if (!written) return { value: {}, characters: 0 }
  const characters = written.text.length
  if (written.isCut) {
    const remark = `The rest was omitted: only the first ${charactersMax} characters are stored.`
    return { value: { beginning: written.text.toWellFormed(), remark }, characters }
  }
  const stored = parseExactJson(written.text)
  const isObject = isRecord(stored) && !isExactNumber(stored)
  return { value: isObject ? stored : { result: stored }, characters }
}

/** Returns the event for a finished call. */
export const endEvent = ({ id, name, successful, error, input, output }: StoredToolCall): ToolEvent => ({
  id,
  name,
  successful,
  error,
  input,
  output,
})
