import type { Logger } from 'pino'
import type { Redis, RedisClient } from '#platform/redis/redis.ts'
import { EventLog, startOfLog } from './event-log.ts'

/** Event logs in Redis streams, so that a reply can be followed through any process. */
export interface SharedLogs {
  /** Copies a log to Redis as it grows. Redis that is away costs followers elsewhere the stream, nobody the reply. */
  share(id: string, log: EventLog): void
  /** A log that some process shares, as it grows; undefined where there is none of this id. Throws server.unavailable. */
  open(id: string): Promise<EventLog | undefined>
  /** Removes logs before their time. Throws server.unavailable. */
  forget(ids: readonly string[]): Promise<void>
}

/** A log that its process has left unfinished disappears after this time, as a finished one does. */
const KEPT_SECONDS = 600
const BLOCK_MS = 5_000
/** A follower that hears nothing for this long gives up: the process that wrote is gone. */
const SILENCE_MS = 60_000

const keyOf = (id: string): string => `parley:stream:${id}`

export function createSharedLogs(redis: Redis, log: Logger): SharedLogs {
  async function copy(id: string, source: EventLog): Promise<void> {
    const key = keyOf(id)
    const position = startOfLog()
    let wake = (): void => {}
    const leave = source.follow(() => wake())
    try {
      while (true) {
        const events = source.read(position, true)
        if (events !== undefined) {
          await redis.run((client) =>
            client.multi().xAdd(key, '*', { events }).expire(key, KEPT_SECONDS).exec(),
          )
        } else if (source.ended) {
          await redis.run((client) => client.xAdd(key, '*', { end: '1' }))
          return
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      leave()
    }
  }

  /** Copies what comes after an entry until the end of the log, on a connection of its own, since it waits there. */
  async function follow(id: string, target: EventLog, from: string): Promise<void> {
    let reader: RedisClient | undefined
    let after = from
    let heardAt = Date.now()
    try {
      reader = await redis.openConnection()
      while (!target.ended && Date.now() - heardAt < SILENCE_MS) {
        const answer = await reader.xRead({ key: keyOf(id), id: after }, { BLOCK: BLOCK_MS })
        const entries = entriesOf(answer)
        after = entries.at(-1)?.id ?? after
        if (entries.length > 0) heardAt = Date.now()
        addEntries(target, entries)
      }
    } finally {
      if (!target.ended) target.end()
      reader?.destroy()
    }
  }

  return {
    share(id, source) {
      copy(id, source).catch((error: unknown) => log.warn({ err: error, id }, 'a stream was not shared'))
    },
    async open(id) {
      const entries = (await redis.run((client) => client.xRange(keyOf(id), '-', '+'))) as Entry[]
      const last = entries.at(-1)
      if (!last) return undefined
      const target = new EventLog()
      addEntries(target, entries)
      if (!target.ended)
        follow(id, target, last.id).catch((error: unknown) =>
          log.warn({ err: error, id }, 'a stream was not followed'),
        )
      return target
    },
    async forget(ids) {
      if (ids.length > 0) await redis.run((client) => client.unlink(ids.map(keyOf)))
    },
  }
}

interface Entry {
  id: string
  message: Record<string, string>
}

const entriesOf = (answer: unknown): Entry[] =>
  ((answer as { messages: Entry[] }[] | null) ?? []).flatMap((stream) => stream.messages)

function addEntries(target: EventLog, entries: Entry[]): void {
  for (const { message } of entries) {
    if (message['events'] !== undefined) target.appendEvents(message['events'])
    if (message['end'] !== undefined) target.end()
  }
}
