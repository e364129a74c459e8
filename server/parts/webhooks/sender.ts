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

/** When something may be due that was not looked for, it is looked so soon: what comes together goes together. */
const SOON_MS = 20
/** How long tries may go on when the process stops. */
const STOP_GRACE_MS = 3_000

/**
 * Sends what is due, in every process: each delivery is claimed before it is tried, so that one process does it. What it
 * has claimed and not settled when it dies is tried again, so an event arrives at least once.
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
        message: 'webhooks were not tidied up',
      }),
    ]
  }

  /** Has what is due sent soon. */
  wake(): void {
    if (this.#isStopped || this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      this.#look().catch((error: unknown) =>
        this.#services.log.error({ err: error }, 'webhooks were not looked for'),
      )
    }, SOON_MS)
  }

  /** How long a claim lasts. */
  get leaseMs(): number {
    return this.#times.timeoutMs + this.#times.claimMarginMs
  }

  /**
   * Sends one delivery now, and answers when that has ended, well or not. Where as much is under way already to its
   * endpoint, or here, it has its turn after the others, and this answers at once.
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

  /** What is under way may end; what takes longer is given back. */
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

  /** One look at a time. */
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
        // Its claim ends by itself.
        this.#services.log.error({ err: error, delivery: delivery.id }, 'a webhook was not sent')
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
