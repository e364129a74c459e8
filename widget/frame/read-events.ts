import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Unreachable } from './visitor-api.ts'

/** The server says something every 15 seconds; a connection that is silent for longer than this is dead. */
const SILENCE_MS = 45_000
/** An event that is longer is none of ours. */
const EVENT_CHARACTERS_MAX = 8_000_000

/**
 * Hands on the events of a stream (HTML Standard, 9.2) to its end, or to where it is cut: that looks the same here, and
 * only its last event tells. Throws Unreachable when nothing comes any more.
 */
export async function readEvents(
  response: Response,
  onEvent: (event: EventSourceMessage) => void,
): Promise<void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const parser = createParser({ onEvent, maxBufferSize: EVENT_CHARACTERS_MAX })
  const decoder = new TextDecoder()
  let clock: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      const silence = new Promise<never>((_resolve, reject) => {
        clock = setTimeout(() => reject(new Unreachable('Silence')), SILENCE_MS)
      })
      const { value, done } = await Promise.race([reader.read(), silence])
      clearTimeout(clock)
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } catch (cause) {
    throw cause instanceof Unreachable ? cause : new Unreachable('The stream was cut', { cause })
  } finally {
    clearTimeout(clock)
    reader.cancel().catch(() => {})
  }
}
