import type { Logger } from 'pino'
import { afterCommit } from '#database/ambient.ts'
import type { Audience, FindAudiences } from '#platform/access/audience.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Redis } from '#platform/redis/redis.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import { EventListeners } from './event-listeners.ts'
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

/** Delivers live events over WebSockets and other streams, to clients of all processes. */
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
  /** Streams of other protocols. */
  listeners: EventListeners
  /** Closes all WebSockets and ends all listeners. */
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
  const listeners = new EventListeners({ findAudiences, log, checkMs: heartbeatMs })
  const deliverHere = createDelivery([sockets, listeners], findAudiences, log)

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
    listeners,
    stop() {
      listeners.stop()
      return sockets.stop()
    },
  }
}

/** The clients of this process that receive events in one way. */
type Receivers = Pick<LiveSockets | EventListeners, 'has' | 'credentialIds' | 'send' | 'end'>

/** Returns a function that delivers an event to the clients of this process. Events stay in order. */
function createDelivery(
  receivers: readonly Receivers[],
  findAudiences: FindAudiences,
  log: Logger,
): (delivery: Delivery) => void {
  const waiting: Delivery[] = []
  let isDelivering = false
  const isConnected = ({ audience }: Delivery): boolean => receivers.some((each) => each.has(audience.userId))

  /** Delivers waiting events, one group at a time. */
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
    const connected = group.filter(isConnected)
    if (connected.length === 0) return
    const requested = connected.map(({ audience }) => audience)
    const userIds = requested.map(({ userId }) => userId)
    const listening = new Set(receivers.flatMap((each) => each.credentialIds(userIds)))
    const { audiences, dead } = await findAudiences([...listening], requested)
    for (const each of receivers) each.end(dead)
    for (const [index, { message }] of connected.entries())
      for (const each of receivers) await each.send(audiences[index] ?? [], Buffer.from(message))
  }

  return (delivery) => {
    if (!isConnected(delivery)) return
    if (waiting.length >= WAITING_MAX) return log.warn('a live event was dropped because too many are queued')
    waiting.push(delivery)
    void deliverWaiting()
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
