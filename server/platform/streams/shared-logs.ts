import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { BlockingConnection, Redis } from '#platform/redis/redis.ts'
import { EventLog, startOfLog } from './event-log.ts'

/** Event logs in Redis streams. Clients can follow a reply through any process. */
export interface SharedLogs {
  /**
   * Copies a log to Redis as the log grows. If Redis fails, the reply continues, but clients of other processes
   * cannot follow it.
   */
  share(id: string, log: EventLog): void
  /**
   * Opens and follows a log that was shared by any process. Returns undefined for an unknown id. Throws
   * server.unavailable.
   */
  open(id: string): Promise<EventLog | undefined>
  /** Returns the events of a log as text. Empty if the log is unknown or Redis is unavailable. Never rejects. */
  read(id: string): Promise<string>
  /**
   * Ends the log of a process that has died, so that its followers need not wait for more. Never rejects: without
   * the end, they wait for SILENCE_MS.
   */
  endAbandoned(id: string): Promise<void>
  /** Deletes logs before they expire. Throws server.unavailable. */
  forget(ids: readonly string[]): Promise<void>
  /** Waits briefly until the ends of this process's logs are in Redis. */
  close(): Promise<void>
}

/** Time from the last event until a log expires, or up to RENEW_MS less. Applies to finished and abandoned logs. */
const KEPT_SECONDS = 600
/** The expiry is not renewed with each event, because that would quadruple the commands. */
const RENEW_MS = 60_000
const BLOCK_MS = 5_000
/** A follower stops after this time without data, because the writing process is probably dead. */
const SILENCE_MS = 60_000

/** Time for the last events to reach Redis when the process stops. */
const CLOSE_MS = 2_000
/** Pause between attempts to interrupt a blocking read. */
const INTERRUPT_RETRY_MS = 10

/**
 * The key of a log has a hash tag: the last character of its id. A cluster stores logs with the same tag on one node,
 * where one command can read all of them.
 */
const tagOf = (id: string): string => id.slice(-1)
const keyOf = (id: string): string => `parley:stream:{${tagOf(id)}}:${id}`
const idOf = (key: string): string => key.slice(key.lastIndexOf(':') + 1)

export function createSharedLogs(redis: Redis, log: Logger): SharedLogs {
  async function copy(id: string, source: EventLog): Promise<void> {
    const key = keyOf(id)
    const position = startOfLog()
    let renewAt = 0
    let wake = (): void => {}
    const unfollow = source.follow(() => wake())
    try {
      while (true) {
        const events = source.read(position, true)
        if (events !== undefined) {
          const now = performance.now()
          const isRenewed = now >= renewAt
          if (isRenewed) renewAt = now + RENEW_MS
          await redis.run<unknown>((client) =>
            isRenewed
              ? client.multi().xAdd(key, '*', { events }).expire(key, KEPT_SECONDS).exec()
              : client.xAdd(key, '*', { events }),
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
      unfollow()
    }
  }

  const followers = new Map<string, FollowedLogs>()
  /** Returns the follower of this log: one per hash tag in a cluster, and otherwise one for all logs. */
  function followerOf(id: string): FollowedLogs {
    const tag = redis.isCluster ? tagOf(id) : ''
    const found = followers.get(tag) ?? new FollowedLogs(redis, log)
    followers.set(tag, found)
    return found
  }
  const copies = new Set<Promise<void>>()

  return {
    share(id, source) {
      const copied = copy(id, source)
        .catch((error: unknown) => log.warn({ err: error, id }, 'a stream could not be shared'))
        .finally(() => copies.delete(copied))
      copies.add(copied)
    },
    async read(id) {
      const entries = await redis
        .run((client) => client.xRange(keyOf(id), '-', '+'))
        .catch((error: unknown) => log.warn({ err: error, id }, 'a stream could not be read'))
      return ((entries ?? []) as Entry[]).map(({ message }) => message['events'] ?? '').join('')
    },
    async endAbandoned(id) {
      const key = keyOf(id)
      await redis
        .run((client) => client.multi().xAdd(key, '*', { end: '1' }).expire(key, KEPT_SECONDS).exec())
        .catch((error: unknown) => log.warn({ err: error, id }, 'an abandoned stream could not be ended'))
    },
    async open(id) {
      const followed = followerOf(id)
      const shared = followed.find(id)
      if (shared) return shared
      const entries = (await redis.run((client) => client.xRange(keyOf(id), '-', '+'))) as Entry[]
      const last = entries.at(-1)
      if (!last) return undefined
      const meanwhile = followed.find(id)
      if (meanwhile) return meanwhile
      const target = new EventLog()
      addEntries(target, entries)
      if (!target.ended) followed.add(id, target, last.id)
      return target
    },
    async forget(ids) {
      for (const some of Map.groupBy(ids, tagOf).values())
        await redis.run((client) => client.unlink(some.map(keyOf)))
    },
    async close() {
      await Promise.race([Promise.all(copies), sleep(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** A log of another process that this process follows. */
interface Followed {
  target: EventLog
  /** Id of the last entry read. */
  after: string
  heardAt: number
  /** True if the current blocking read includes this log. */
  isRead: boolean
}

/** Follows any number of logs on one Redis connection. In a cluster, they must have the same hash tag. The connection is open only while a log is followed. */
class FollowedLogs {
  readonly #redis: Redis
  readonly #log: Logger
  readonly #followed = new Map<string, Followed>()
  #reader: BlockingConnection | undefined
  #isReading = false

  constructor(redis: Redis, log: Logger) {
    this.#redis = redis
    this.#log = log
  }

  /** Returns the log if this process already follows it. All readers in this process share that copy. */
  find(id: string): EventLog | undefined {
    return this.#followed.get(id)?.target
  }

  /** Starts to copy the entries after the entry id `after` into `target`, until the log ends. */
  add(id: string, target: EventLog, after: string): void {
    const added = { target, after, heardAt: Date.now(), isRead: false }
    this.#followed.set(id, added)
    if (this.#isReading) void this.#interrupt(added)
    else void this.#readAll()
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    let reader: BlockingConnection | undefined
    try {
      const [id = ''] = this.#followed.keys()
      reader = await this.#redis.openConnection(keyOf(id))
      this.#reader = reader
      while (this.#followed.size > 0) await this.#readOnce(reader)
    } catch (error) {
      this.#log.warn({ err: error, streams: this.#followed.size }, 'streams could not be followed')
    } finally {
      for (const id of this.#followed.keys()) this.#end(id)
      this.#isReading = false
      this.#reader = undefined
      reader?.destroy()
    }
  }

  async #readOnce({ client }: BlockingConnection): Promise<void> {
    const positions = [...this.#followed].map(([id, one]) => {
      one.isRead = true
      return { key: keyOf(id), id: one.after }
    })
    const answer = await client.xRead(positions, { BLOCK: BLOCK_MS })
    for (const { name, messages } of streamsOf(answer)) {
      const one = this.#followed.get(idOf(name))
      if (!one) continue
      one.after = messages.at(-1)?.id ?? one.after
      one.heardAt = Date.now()
      addEntries(one.target, messages)
    }
    for (const [id, { target, heardAt }] of this.#followed)
      if (target.ended || Date.now() - heardAt >= SILENCE_MS) this.#end(id)
  }

  #end(id: string): void {
    const one = this.#followed.get(id)
    this.#followed.delete(id)
    if (one && !one.target.ended) one.target.end()
  }

  /**
   * Interrupts the blocking read, so that the next read includes the added log. Repeats the interrupt, because the
   * current read may not have reached Redis yet.
   */
  async #interrupt(added: Followed): Promise<void> {
    try {
      while (this.#isReading && !added.isRead) {
        await this.#reader?.interrupt()
        await sleep(INTERRUPT_RETRY_MS)
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'a blocking read could not be interrupted; a stream is followed late')
    }
  }
}

interface Entry {
  id: string
  message: Record<string, string>
}

const streamsOf = (answer: unknown): { name: string; messages: Entry[] }[] =>
  (answer as { name: string; messages: Entry[] }[] | null) ?? []

function addEntries(target: EventLog, entries: Entry[]): void {
  for (const { message } of entries) {
    if (message['events'] !== undefined) target.appendEvents(message['events'])
    if (message['end'] !== undefined) target.end()
  }
}
