import { setTimeout as sleep } from 'node:timers/promises'
import { LOWEST_ID } from '#database/new-id.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import type { RunningSweep } from '#platform/sweeps/sweeps.ts'
import {
  type ClaimedDelivery,
  claimDue,
  claimOne,
  failAllDisabled,
  findWaitingEndpoints,
  nextAfter,
  sqlOf,
  UNDER_WAY_MAX,
  UNDER_WAY_OF_ENDPOINT_MAX,
} from './claim-deliveries-system.ts'
import { releaseDelivery, settleDelivery } from './settle-delivery.ts'
import { DELIVERY_TIMES, type DeliveryTimes, tryDelivery } from './try-delivery.ts'

/** Delay of a triggered look-up. Deliveries of events that occur shortly after each other are claimed together. */
const SOON_MS = 20
/** Grace period for deliveries in progress when the process stops. */
const STOP_GRACE_MS = 3_000

/**
 * Sends due deliveries. Every process that works in the background runs a sender. A sender claims a delivery before each attempt, so only one
 * process attempts it at a time. If a process dies, its claims expire and another process retries the deliveries, so
 * an event arrives at least once.
 */
export class Sender {
  readonly #services: Services
  readonly #times: DeliveryTimes
  readonly #underWay = new Map<ClaimedDelivery, Promise<void>>()
  readonly #stopping = new AbortController()
  #looks: RunningSweep | undefined
  #endRepeat = (): void => {}
  #after = LOWEST_ID
  #soon: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(services: Services, times: Partial<DeliveryTimes> = {}) {
    this.#services = services
    this.#times = { ...DELIVERY_TIMES, ...times }
  }

  start(): void {
    const { database, log, sweeps } = this.#services
    this.#looks = sweeps.begin({
      name: 'webhooks',
      everyMs: this.#times.pollMs,
      find: () => this.#findEndpoints(),
      work: (endpointIds) => this.#claimAndSend(endpointIds),
      failure: 'webhooks were not looked for',
    })
    this.#endRepeat = repeat(this.#times.sweepMs, () => failAllDisabled(database), {
      name: 'disabled webhooks',
      log,
      message: 'deliveries to disabled endpoints were not marked as failed',
    })
  }

  /** Triggers a look-up of due deliveries after SOON_MS, if this process runs the sender. */
  wake(): void {
    if (!this.#looks || this.#isStopped || this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      this.#looks?.wake()
    }, SOON_MS)
  }

  /** Duration of a claim, in milliseconds. */
  get leaseMs(): number {
    return this.#times.timeoutMs + this.#times.claimMarginMs
  }

  /**
   * Attempts one delivery now, and resolves when the attempt has succeeded or failed. If the endpoint or the process
   * is at its concurrency limit, resolves immediately and leaves the delivery queued.
   */
  async sendNow(
    { sql, organizationId }: Scope<'organization:admin'>,
    { id, endpointId }: { id: string; endpointId: string },
  ): Promise<void> {
    const toEndpoint = [...this.#underWay.keys()].filter((delivery) => delivery.endpointId === endpointId)
    const isFull = this.#underWay.size >= UNDER_WAY_MAX || toEndpoint.length >= UNDER_WAY_OF_ENDPOINT_MAX
    if (isFull || this.#isStopped) return
    const claimed = await claimOne(sql, { organizationId, id }, this.leaseMs)
    if (claimed) await this.#begin(claimed)
  }

  /** Waits for deliveries in progress until the grace period ends, then aborts the rest and releases their claims. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#endRepeat()
    clearTimeout(this.#soon)
    await this.#looks?.end()
    const all = Promise.all(this.#underWay.values())
    const grace = new AbortController()
    await Promise.race([all, sleep(STOP_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})])
    grace.abort()
    this.#stopping.abort(new Error('The server is stopping'))
    await all
  }

  async #findEndpoints(): Promise<string[]> {
    if (this.#isStopped || this.#underWay.size >= UNDER_WAY_MAX) return []
    const endpointIds = await findWaitingEndpoints(this.#services.database, this.#after)
    this.#after = nextAfter(endpointIds)
    return endpointIds
  }

  async #claimAndSend(endpointIds: string[]): Promise<void> {
    const { database } = this.#services
    const claimed = await claimDue(database, endpointIds, [...this.#underWay.keys()], this.leaseMs)
    for (const delivery of claimed) void this.#begin(delivery)
  }

  /** Sends a claimed delivery. Never rejects: unexpected errors are logged. */
  #begin(delivery: ClaimedDelivery): Promise<void> {
    const sending = this.#send(delivery)
      .catch((error: unknown) => {
        // The delivery is retried once its claim expires.
        this.#services.log.error(
          { err: error, delivery: delivery.id },
          'a webhook delivery failed unexpectedly',
        )
      })
      .finally(() => {
        this.#underWay.delete(delivery)
        this.wake()
      })
    this.#underWay.set(delivery, sending)
    return sending
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { signal } = this.#stopping
    const outcome = await tryDelivery(this.#services, delivery, this.#times, signal).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error
      },
    )
    const { config, database, mail } = this.#services
    const sql = sqlOf(database, delivery)
    if (outcome) await settleDelivery({ sql, config, mail }, delivery, outcome, this.#times.giveUpMs)
    else await releaseDelivery(sql, delivery)
  }
}
