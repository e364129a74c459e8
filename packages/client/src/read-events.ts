import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ParleyError } from './error.ts'

/** Maximum time without data before a connection is considered lost. The server sends a comment every 15 seconds. */
const SILENCE_MS = 45_000
/** The maximum length of an event. The server sends no longer events. */
const EVENT_CHARACTERS_MAX = 8_000_000

/** Returns the error for a stream that was cut off. */
export const streamLost = (detail = 'The connection was lost.', cause?: unknown): ParleyError =>
  new ParleyError(detail, { status: 0, code: 'stream.lost', cause })

/**
 * Yields the server-sent events of a response (HTML Standard, 9.2) to the end of its body. Reads only when the caller
 * asks for the next event. Closes the connection when the caller leaves the loop, when the signal aborts, or after 45
 * seconds without data.
 *
 * An abort or a timeout ends the iteration without an error, like the end of the body. Callers must therefore check
 * for the last event to know whether the stream is complete.
 *
 * Throws a ParleyError with the code `stream.lost` if the connection breaks or an event has more than 8 million
 * characters.
 */
export async function* readEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const events: EventSourceMessage[] = []
  // The parser throws if an event is longer than `maxBufferSize`.
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
