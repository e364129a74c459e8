import type { Logger } from 'pino'
import { afterCommit } from '#database/ambient.ts'
import type { Audience, FindAudiences } from '#platform/access/audience.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Redis } from '#platform/redis/redis.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import { LiveSockets, type LiveSocketsOptions } from './live-sockets.ts'

/** An event to deliver to clients that are connected now. */
export interface LiveEvent {
  /** Type of the event, such as `chat.title_updated`. */
  type: string
  organizationId: string
  data: object
  /**
   * The recipients: active members who hold the permission. With `userId`, only that member. An API key must also
   * have the permission. The API requires the same permission for reading the event's data.
   */
  to: { permission: Permission; userId?: string }
  /**
   * True to also add the event to the realtime store `parley:realtime:{organizationId}`. Has no effect without Redis.
   */
  isKept?: boolean
}

/** Delivers live events over WebSockets, to clients of all processes. */
export interface Events {
  /**
   * Delivers an event to the connected recipients after the current transaction commits. Never throws. Delivery is
   * not guaranteed and cannot be awaited, because events are only hints. Events of one process stay in order.
   */
  publish(event: LiveEvent): void
  /**
   * Deletes an organization's realtime store. With `userId`, deletes only that user's entries. Throws
   * server.unavailable.
   */
  forget(organizationId: string, userId?: string): Promise<void>
  /** The WebSockets of /api/ws. */
  sockets: LiveSockets
  /** Closes all WebSockets. */
  stop(): Promise<void>
}

interface Dependencies {
  findAudiences: FindAudiences
  redis: Redis | null
  instance: { id: string }
  metrics: Pick<Metrics, 'liveSockets'>
  log: Logger
}

const HEARTBEAT_MS = 30_000
const AUTHENTICATION_MS = 10_000
const CHANNEL = 'parley:events'
/** Approximate maximum number of entries in a realtime store. */
const KEPT_ENTRIES_MAX = 10_000
const KEPT_PAGE = 500
const MESSAGE_BYTES_MAX = 16 * 1024
/** Maximum number of events that wait for delivery in this process. Further events are dropped. */
const WAITING_MAX = 1_000
/** Maximum number of events whose recipients are found in one query. */
const GROUP_MAX = 50

/** A queued event. Also sent to other processes through Redis. */
interface Delivery {
  audience: Audience
  /** The message that clients receive. */
  message: string
}

export async function createEvents(
  { findAudiences, redis, instance, metrics, log }: Dependencies,
  options: Partial<LiveSocketsOptions> = {},
): Promise<Events> {
  const { heartbeatMs = HEARTBEAT_MS, authenticationMs = AUTHENTICATION_MS } = options
  const sockets = new LiveSockets({ heartbeatMs, authenticationMs }, log, metrics.liveSockets)
  const waiting: Delivery[] = []
  let isDelivering = false

  /** Delivers waiting events, one group at a time, so that events stay in order. */
  async function deliverWaiting(): Promise<void> {
    if (isDelivering) return
    isDelivering = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP_MAX)
      await deliver(group).catch((error: unknown) =>
        log.warn({ err: error, events: group.length }, 'live events could not be delivered'),
      )
    }
    isDelivering = false
  }

  async function deliver(group: Delivery[]): Promise<void> {
    const connected = group.filter(({ audience }) => sockets.has(audience.userId))
    if (connected.length === 0) return
    const connectedAudiences = connected.map(({ audience }) => audience)
    const listening = sockets.credentialIds(connectedAudiences.map(({ userId }) => userId))
    const { audiences, dead } = await findAudiences(listening, connectedAudiences)
    sockets.end(dead)
    for (const [index, { message }] of connected.entries())
      await sockets.send(audiences[index] ?? [], Buffer.from(message))
  }

  function deliverHere(delivery: Delivery): void {
    if (!sockets.has(delivery.audience.userId)) return
    if (waiting.length >= WAITING_MAX) return log.warn('a live event was dropped because too many are queued')
    waiting.push(delivery)
    void deliverWaiting()
  }

  function deliverElsewhere(delivery: Delivery): void {
    const text = JSON.stringify({ from: instance.id, ...delivery })
    redis
      ?.run((client) => client.publish(CHANNEL, text))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'a live event could not be sent to other instances'),
      )
  }

  function keep(event: LiveEvent, createdAt: string): void {
    const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: KEPT_ENTRIES_MAX } as const
    redis
      ?.run((client) => client.xAdd(storeOf(event.organizationId), '*', entryOf(event, createdAt), { TRIM }))
      .catch((error: unknown) => log.warn({ err: error }, 'a live event could not be stored'))
  }

  /** Receives events from other processes. This process delivers its own events without Redis. */
  async function listen(): Promise<void> {
    await redis?.subscribe(CHANNEL, (text) => {
      try {
        const { from, ...delivery } = JSON.parse(text) as Delivery & { from: string }
        if (from !== instance.id) deliverHere(delivery)
      } catch (error) {
        log.error({ err: error }, 'a live event from another instance could not be read')
      }
    })
  }

  function notify(event: LiveEvent): void {
    try {
      const createdAt = new Date().toISOString()
      const delivery = { audience: audienceOf(event), message: messageOf(event, createdAt) }
      deliverHere(delivery)
      deliverElsewhere(delivery)
      if (event.isKept) keep(event, createdAt)
    } catch (error) {
      log.error({ err: error, type: event.type }, 'a live event could not be published')
    }
  }

  await listen()
  return {
    // Notify only after the commit, because the change can be rolled back until then.
    publish: (event) => void afterCommit(() => notify(event)),
    forget: (organizationId, userId) => deleteSaved(redis, storeOf(organizationId), userId),
    sockets,
    stop: () => sockets.stop(),
  }
}

const storeOf = (organizationId: string): string => `parley:realtime:${organizationId}`

const entryOf = ({ type, data, to }: LiveEvent, createdAt: string) => ({
  type,
  data: JSON.stringify(data),
  user_id: to.userId ?? '',
  created_at: createdAt,
})

/** Deletes a realtime store. With `userId`, reads the store page by page and deletes only that user's entries. */
async function deleteSaved(redis: Redis | null, store: string, userId?: string): Promise<void> {
  if (!redis) return
  if (userId === undefined) {
    await redis.run((client) => client.unlink(store))
    return
  }
  for (let after = '-'; ; ) {
    const page = (await redis.run((client) => client.xRange(store, after, '+', { COUNT: KEPT_PAGE }))) ?? []
    const last = page.at(-1)
    if (!last) return
    const own = page.filter(({ message }) => message['user_id'] === userId).map(({ id }) => id)
    if (own.length > 0) await redis.run((client) => client.xDel(store, own))
    after = `(${last.id}`
  }
}

const audienceOf = ({ organizationId, to }: LiveEvent): Audience => ({
  organizationId,
  permission: to.permission,
  userId: to.userId ?? null,
})

function messageOf({ type, organizationId, data }: LiveEvent, createdAt: string): string {
  const message = JSON.stringify({ type, organization_id: organizationId, data, created_at: createdAt })
  if (Buffer.byteLength(message) > MESSAGE_BYTES_MAX)
    throw new Error(`a live event has more than ${MESSAGE_BYTES_MAX} bytes`)
  return message
}
