import type { Logger } from 'pino'
import { afterCommit } from '#database/ambient.ts'
import type { Audience, FindAudiences } from '#platform/access/audience.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Redis } from '#platform/redis/redis.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import { LiveSockets, type LiveSocketsOptions } from './live-sockets.ts'

/** Something that has happened, for people who look on (contract, 11). */
export interface LiveEvent {
  /** As in `chat.title_updated`. */
  type: string
  organizationId: string
  data: object
  /**
   * The active members who hold the permission, through an API key only where that holds it too; with `userId` only
   * this one of them. What the event tells can be read through the API with the same permission.
   */
  to: { permission: Permission; userId?: string }
  /** Also added to the realtime store `parley:realtime:{organizationId}`, where there is Redis. */
  isKept?: boolean
}

/** Live events to people, over WebSockets, on every instance. */
export interface Events {
  /**
   * Tells those who may see it at this moment. Never throws, and there is nothing to wait for: events are hints, and
   * what can't be delivered is lost. Events of one process come in their order.
   */
  publish(event: LiveEvent): void
  /** Removes an organization's realtime store, or what stands there of one user. Throws server.unavailable. */
  forget(organizationId: string, userId?: string): Promise<void>
  /** Those of /api/ws. */
  sockets: LiveSockets
  /** Closes the sockets. */
  stop(): Promise<void>
}

interface Dependencies {
  findAudiences: FindAudiences
  redis: Redis | null
  /** This process among others. */
  instance: { id: string }
  metrics: Pick<Metrics, 'liveSockets'>
  log: Logger
}

const HEARTBEAT_MS = 30_000
const AUTHENTICATION_MS = 10_000
const CHANNEL = 'parley:events'
/** The entries of a realtime store, about. */
const KEPT_ENTRIES_MAX = 10_000
const KEPT_PAGE = 500
const MESSAGE_BYTES_MAX = 16 * 1024
/** Events that wait to be delivered here; what comes beyond is lost. */
const WAITING_MAX = 1_000
/** Events whose audiences are found in one query. */
const GROUP_MAX = 50

/** An event as it waits, and as it travels through Redis. */
interface Delivery {
  audience: Audience
  /** As clients get it. */
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

  /** One group after the other, so that events keep their order. */
  async function deliverWaiting(): Promise<void> {
    if (isDelivering) return
    isDelivering = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP_MAX)
      await deliver(group).catch((error: unknown) =>
        log.warn({ err: error, events: group.length }, 'live events were not delivered'),
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
    if (waiting.length >= WAITING_MAX) return log.warn('a live event was lost: too many wait')
    waiting.push(delivery)
    void deliverWaiting()
  }

  function deliverElsewhere(delivery: Delivery): void {
    const text = JSON.stringify({ from: instance.id, ...delivery })
    redis
      ?.run((client) => client.publish(CHANNEL, text))
      .catch((error: unknown) => log.warn({ err: error }, 'a live event did not reach the other instances'))
  }

  function keep(event: LiveEvent, createdAt: string): void {
    const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: KEPT_ENTRIES_MAX } as const
    redis
      ?.run((client) => client.xAdd(storeOf(event.organizationId), '*', entryOf(event, createdAt), { TRIM }))
      .catch((error: unknown) => log.warn({ err: error }, 'a live event was not kept'))
  }

  /** Hears what other instances publish; what this one does is delivered here without Redis. */
  async function listen(): Promise<void> {
    const connection = await redis?.openConnection()
    await connection?.subscribe(CHANNEL, (text) => {
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
    // What it tells of may still be rolled back.
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

/** Removes a store, or, looking through it page by page, what is a user's. */
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
