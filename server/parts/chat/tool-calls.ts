import type { StoredToolCall } from '#database/schema/chat.ts'
import { CUT_OFF, endEvent, type ToolEvent } from '#platform/models/reply-calls.ts'

/** Leaves out the parts of a stored call that clients do not receive. */
export const viewToolCall = ({ id, name, input, output, successful, error }: StoredToolCall) => {
  return { id, name, input, output, successful, error }
}

const beginningOf = ({ id, name, input }: StoredToolCall): ToolEvent => ({ id, name, input, output: null })

/** Returns the events of tool calls, ordered by event number. */
export const toolEventsOf = (calls: readonly StoredToolCall[]): ToolEvent[] =>
  calls
    .flatMap((call) => [
      { number: call.started_event, event: beginningOf(call) },
      ...(call.ended_event === null ? [] : [{ number: call.ended_event, event: endEvent(call) }]),
    ])
    .sort((one, other) => one.number - other.number)
    .map(({ event }) => event)

/**
 * Ends the tool calls of a dead process. Calls in progress fail with `CUT_OFF`. Their end events get the highest
 * event numbers.
 */
export function cutOffCalls(calls: readonly StoredToolCall[]): StoredToolCall[] {
  let last = Math.max(0, ...calls.flatMap((call) => [call.started_event, call.ended_event ?? 0]))
  return calls.map((call) =>
    call.ended_event === null
      ? { ...call, output: {}, successful: false, error: CUT_OFF, ended_event: ++last }
      : call,
  )
}
