import type { PendingWork } from './pool.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/*
 * Time is counted in steps of a timer, and a late step counts once, so that time in which this process is too busy to read
 * results does not count.
 */
const STEP_MS = 1_000
/** Limit, in steps, of each wait for the embedded database. A backup of a large database blocks it for some of them. */
export const WAIT_STEPS_MAX = 120
const SECONDS_MAX = (WAIT_STEPS_MAX * STEP_MS) / 1_000

/**
 * Limits each wait for a database with one connection. If no result has arrived for the whole limit, the connection is
 * stuck: `discard` ends it, and with it all work in progress. If other work has had results, such as the statements of a
 * long transaction, only the work that waited for its turn too long fails. Both fail with DatabaseUnavailable.
 */
export class WaitLimit {
  readonly #report: (line: string) => void
  readonly #discard: () => void
  /** The step in which the work in progress began, oldest first. */
  readonly #begun = new Map<PendingWork, number>()
  #timer: NodeJS.Timeout | undefined
  #step = 0
  #answeredAt = 0

  constructor(report: (line: string) => void, discard: () => void) {
    this.#report = report
    this.#discard = discard
  }

  began(work: PendingWork): void {
    this.#begun.set(work, this.#step)
    this.#timer ??= setInterval(() => this.#takeStep(), STEP_MS).unref()
  }

  ended(work: PendingWork): void {
    this.#begun.delete(work)
  }

  /** Notes that a result has arrived. */
  answered(): void {
    this.#answeredAt = this.#step
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #takeStep(): void {
    this.#step += 1
    if (this.#begun.size === 0) return this.close()
    const overdue = this.#overdue()
    if (overdue.length === 0) return
    if (this.#step - this.#answeredAt >= WAIT_STEPS_MAX) this.#giveUp()
    else this.#fail(overdue.filter(({ active }) => !active))
  }

  #overdue(): PendingWork[] {
    const overdue: PendingWork[] = []
    for (const [work, since] of this.#begun) {
      if (this.#step - since < WAIT_STEPS_MAX) break
      overdue.push(work)
    }
    return overdue
  }

  #giveUp(): void {
    const works = [...this.#begun.keys()]
    const current = works.find(({ active, string }) => active && string)?.string ?? 'none'
    this.#report(
      `The embedded database has not answered for ${SECONDS_MAX} s. Its connection is replaced, and ${works.length} statements and transactions fail. Current statement: ${current}`,
    )
    this.#begun.clear()
    this.#answeredAt = this.#step
    this.#discard()
    for (const work of works) work.reject(new DatabaseUnavailable())
  }

  #fail(works: PendingWork[]): void {
    if (works.length === 0) return
    this.#report(
      `${works.length} statements and transactions waited ${SECONDS_MAX} s for their turn at the embedded database, and fail.`,
    )
    for (const work of works) {
      this.#begun.delete(work)
      work.reject(new DatabaseUnavailable())
    }
  }
}
