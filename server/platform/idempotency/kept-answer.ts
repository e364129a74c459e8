import { fail } from '#errors'
import { EventLog, startOfLog } from '#platform/streams/event-log.ts'
import type { EventStream } from '../http/define-route.ts'

/** The largest answer that is kept, in bytes; of a larger one only that it was given. */
export const ANSWER_BYTES_MAX = 1024 * 1024

/** An answer as it is kept: a value, the events of a stream, or nothing but that it was too large. */
type KeptAnswer =
  | { value: unknown }
  | { events: string; named: boolean; headers: Record<string, string> }
  | { isTooLarge: true }

/** A value as text to be kept. */
export const keepValue = (value: unknown): string => bounded({ value })

/** A stream that has ended, as text to be kept. */
export const keepStream = (events: string, { named, headers = {} }: EventStream): string =>
  bounded({ events, named, headers })

/** What a repeat is answered. Throws request.answer_not_kept. */
export function openKept(text: string): unknown {
  const kept = JSON.parse(text) as KeptAnswer
  if ('value' in kept) return kept.value
  if ('isTooLarge' in kept) throw fail('request.answer_not_kept')
  const log = new EventLog()
  if (kept.events !== '') log.appendEvents(kept.events)
  log.end()
  return { log, named: kept.named, headers: kept.headers } satisfies EventStream
}

export const isEventStream = (value: unknown): value is EventStream =>
  (value as Partial<EventStream> | null)?.log instanceof EventLog

/**
 * The same stream for its client, whose end waits until `ended` has done its work with all the events; the client's
 * leaving ends nothing, because he can come back.
 */
export function relayStream(stream: EventStream, ended: (events: string) => Promise<void>): EventStream {
  const { log: from, named, headers } = stream
  const log = new EventLog()
  const position = startOfLog()
  let events = ''
  let hasEnded = false
  const pump = (): void => {
    for (let piece = from.read(position, true); piece !== undefined; piece = from.read(position, true)) {
      log.appendEvents(piece)
      if (events.length <= ANSWER_BYTES_MAX) events += piece
    }
    if (!from.ended || hasEnded) return
    hasEnded = true
    leave()
    void ended(events).finally(() => log.end())
  }
  const leave = from.follow(pump)
  pump()
  return { log, named, ...(headers && { headers }) }
}

function bounded(answer: KeptAnswer): string {
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) > ANSWER_BYTES_MAX
    ? JSON.stringify({ isTooLarge: true } satisfies KeptAnswer)
    : text
}
