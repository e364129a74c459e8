import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** The server says something every 15 seconds; a connection that is silent for longer than this is dead. */
const SILENCE_MS = 45_000
/** An event that is longer is none of ours. */
const EVENT_CHARACTERS_MAX = 8_000_000

/** The connection is gone, or what comes over it is no stream of events. Another one may go on where it ended. */
export class StreamLost extends Error {
  override name = 'StreamLost'
}

/**
 * The events of a response, one after the other (HTML Standard, 9.2), to the end of its body. Whether that is where the
 * server has ended it, only its last event tells. It reads on only when it is asked for more, and lets the connection
 * go when nobody asks any more, or when the signal aborts: then it ends as if the body did.
 *
 * Throws StreamLost when the connection breaks, is silent for 45 seconds, or an event has more than 8 million characters.
 */
export async function* readEvents(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  let events: EventSourceMessage[] = []
  let problem: Error | null = null
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') problem = error
    },
    maxBufferSize: EVENT_CHARACTERS_MAX,
  })
  const decoder = new TextDecoder()
  const cancel = (): void => {
    reader.cancel().catch(() => {})
  }
  signal.addEventListener('abort', cancel)
  try {
    while (!signal.aborted) {
      const bytes = await readWithin(reader, SILENCE_MS)
      if (bytes === null) return
      parser.feed(decoder.decode(bytes, { stream: true }))
      const come = events
      events = []
      for (const event of come) {
        if (signal.aborted) return
        yield event
      }
      if (problem) throw problem
    }
  } catch (cause) {
    if (signal.aborted) return
    throw new StreamLost('The stream was cut', { cause })
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/** The next bytes; null at the end of the body. */
async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  let clock: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    clock = setTimeout(() => reject(new StreamLost('Nothing came any more')), timeoutMs)
  })
  try {
    const { value, done } = await Promise.race([reader.read(), silence])
    return done ? null : value
  } finally {
    clearTimeout(clock)
  }
}
