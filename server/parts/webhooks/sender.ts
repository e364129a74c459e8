import { setTimeout as sleep } from 'node:timers/promises'
import { LOWEST_ID } from '#database/new-id.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import {
  type ClaimedDelivery,
  claimDue,
  claimOne,
  findWaitingEndpoints,
  nextAfter,
  sqlOf,
  sweepDeliveries,
  UNDER_WAY_MAX,
  UNDER_WAY_OF_ENDPOINT_MAX,
} from './claim-deliveries-system.ts'
import { releaseDelivery, settleDelivery } from './settle-delivery.ts'
import { DELIVERY_TIMES, type DeliveryTimes, tryDelivery } from './try-delivery.ts'

/** Delay before looking for due deliveries, so that events close together are claimed together. */
const SOON_MS = 20
/** Grace period for deliveries in progress when the process stops. */
const STOP_GRACE_MS = 3_000

/**
 * Sends due deliveries, in every process. Each delivery is claimed first, so that one process at a time tries it.
 * Claims of a dead process expire and are retried: events arrive at least once.
 */
export class Sender {
  readonly #services: Services
  readonly #times: DeliveryTimes
  readonly #underWay = new Map<ClaimedDelivery, Promise<void>>()
  readonly #stopping = new AbortController()
  #endRepeats: (() => void)[] = []
  #after = LOWEST_ID
  #looking: Promise<void> | undefined
  #soon: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(services: Services, times: Partial<DeliveryTimes> = {}) {
    this.#services = services
    this.#times = { ...DELIVERY_TIMES, ...times }
  }

  start(): void {
    const { database, log } = this.#services
    this.#endRepeats = [
      repeat(this.#times.pollMs, () => this.#look(), { log, message: 'webhooks were not looked for' }),
      repeat(this.#times.sweepMs, () => sweepDeliveries(database), {
        log,
        message: 'webhook cleanup failed',
      }),
    ]
  }

  /** Triggers a look-up of due deliveries. */
  wake(): void {
    if (this.#isStopped || this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      this.#look().catch((error: unknown) =>
        this.#services.log.error({ err: error }, 'webhooks were not looked for'),
      )
    }, SOON_MS)
  }

  /** Duration of a claim. */
  get leaseMs(): number {
    return this.#times.timeoutMs + this.#times.claimMarginMs
  }

  /**
   * Sends one delivery now and resolves when the attempt ends, successfully or not. If the endpoint or the
   * process is at its limit, resolves immediately and leaves the delivery to the queue.
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

  /** Lets deliveries in progress finish within the grace period, then releases the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const end of this.#endRepeats) end()
    clearTimeout(this.#soon)
    await this.#looking?.catch(() => {})
    const all = Promise.all(this.#underWay.values())
    const grace = new AbortController()
    await Promise.race([all, sleep(STOP_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})])
    grace.abort()
    this.#stopping.abort(new Error('The server is stopping'))
    await all
  }

  /** Runs one look-up at a time. */
  async #look(): Promise<void> {
    if (this.#looking || this.#isStopped || this.#underWay.size >= UNDER_WAY_MAX) return
    this.#looking = this.#claimAndSend().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  async #claimAndSend(): Promise<void> {
    const { database } = this.#services
    const endpointIds = await findWaitingEndpoints(database, this.#after)
    this.#after = nextAfter(endpointIds)
    if (endpointIds.length === 0) return
    const claimed = await claimDue(database, endpointIds, [...this.#underWay.keys()], this.leaseMs)
    for (const delivery of claimed) void this.#begin(delivery)
  }

  /** Never rejects. */
  #begin(delivery: ClaimedDelivery): Promise<void> {
    const sending = this.#send(delivery)
      .catch((error: unknown) => {
        // The claim expires.
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
