import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ParleyError } from './error.ts'

/** The server sends a comment every 15 seconds. A connection that is silent for longer than this is dead. */
const SILENCE_MS = 45_000
/** The server never sends a longer event. */
const EVENT_CHARACTERS_MAX = 8_000_000

/** Returns the error for a stream that was cut. */
export const streamLost = (detail = 'The connection was lost.', cause?: unknown): ParleyError =>
  new ParleyError(detail, { status: 0, code: 'stream.lost', cause })

/**
 * Yields the server-sent events of a response (HTML Standard, 9.2) to the end of its body. Reads only when the caller
 * asks for the next event. Closes the connection when the caller leaves the loop or the signal aborts. An abort ends
 * the iteration without an error, like the end of the body.
 *
 * Closes a connection that is silent for 45 seconds, also without an error. Only the last event shows whether the
 * stream was complete.
 *
 * Throws a ParleyError with the code `stream.lost` when the connection breaks or an event has more than 8 million
 * characters.
 */
export async function* readEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const events: EventSourceMessage[] = []
  // The parser throws when an event exceeds maxBufferSize.
  const parser = createParser({ onEvent: (event) => events.push(event), maxBufferSize: EVENT_CHARACTERS_MAX })
  const decoder = new TextDecoder()
  const cancel = (): void => {
    reader.cancel().catch(() => {})
  }
  signal?.addEventListener('abort', cancel)
  try {
    while (!signal?.aborted) {
      const clock = setTimeout(cancel, SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(clock))
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      for (const event of events.splice(0)) {
        if (signal?.aborted) return
        yield event
      }
    }
  } catch (cause) {
    if (!signal?.aborted) throw streamLost(undefined, cause)
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}
