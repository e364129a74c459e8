import { setTimeout as sleep } from 'node:timers/promises'
import { assertConnectionFree } from '#database/ambient.ts'

/*
 * Background work shares the database with replies, and the embedded database runs one transaction at a time. A reply
 * waits for the transaction in progress, so background work runs in batches of some milliseconds. While replies run,
 * it takes at most a tenth of the time.
 */

/** Target duration of a batch. */
const BATCH_MS = 10
/** While replies run, a batch is followed by a rest of this many times its duration. */
const REST_TIMES = 9
/**
 * Longest rest, so that background work continues after a batch that has waited for a lock, and on an overloaded machine,
 * where each batch takes long.
 */
const REST_MS_MAX = 2_000
/** Replies count as running until this long after the last one, because requests prepare the next ones. */
const QUIET_MS = 2_000
/** Interval at which a rest checks whether replies still run. */
const CHECK_MS = 100
/** A batch is at most this many times as large as the one before it, and at least the inverse. */
const GROWTH_MAX = 2
const SHRINKAGE_MAX = 4
/** The first batch has this share of the maximum. */
const FIRST_SHARE = 1 / 16

/**
 * The size of the batches of one kind of statement, in rows or another unit of cost. It follows the measured durations.
 */
export class BatchSize {
  readonly #least: number
  readonly #most: number
  #now: number

  /** Batches have at most `most` units. They have at least `least`, however long they take. */
  constructor({ least, most }: { least: number; most: number }) {
    this.#least = least
    this.#most = most
    this.#now = Math.max(least, Math.ceil(most * FIRST_SHARE))
  }

  get now(): number {
    return this.#now
  }

  /** Adapts the size after a batch of `count` units. */
  measured(count: number, milliseconds: number): void {
    if (count === 0) return
    const fitting = Math.round((count * BATCH_MS) / milliseconds)
    const near = Math.min(Math.max(fitting, this.#now / SHRINKAGE_MAX), this.#now * GROWTH_MAX)
    this.#now = Math.round(Math.min(Math.max(near, this.#least), this.#most))
  }
}

/**
 * Runs a batch of at most `limit` units, and returns how many it had. Calls `starts` once its transaction has a
 * connection, so that the wait for one doesn't count.
 */
export type Batch = (limit: number, starts: () => void) => Promise<number>

/** Decides when background work of this process may run. */
export class Pacer {
  #replies = 0
  #lastReplyAt = Number.NEGATIVE_INFINITY
  #restsUntil = 0
  /** The last batch in the queue of those that run one at a time. */
  #queue: Promise<unknown> = Promise.resolve()

  /** Runs a reply, or a part of one. Background work yields to it. */
  async whileReplying<Result>(reply: () => Promise<Result>): Promise<Result> {
    this.#replies += 1
    try {
      return await reply()
    } finally {
      this.#replies -= 1
      this.#lastReplyAt = performance.now()
    }
  }

  /**
   * Runs one batch of background work, and returns how many units it had. While replies run, batches take turns, and
   * each begins after the rest that the one before it has caused. Otherwise, it begins now.
   *
   * Call it outside transactions: a transaction would keep its locks during the rest. Rejects with the reason of
   * `signal` if it aborts before the batch begins.
   */
  async pace(size: BatchSize, batch: Batch, signal?: AbortSignal): Promise<number> {
    assertConnectionFree()
    if (!this.isReplying()) return this.#run(size, batch, signal)
    const turn = this.#queue.then(async () => {
      await this.#rest(signal)
      return this.#run(size, batch, signal)
    })
    this.#queue = turn.catch(() => {})
    return turn
  }

  /**
   * While replies run, rests as after a batch of this duration. For work that also waits for other systems, so that it
   * may not keep batches waiting.
   */
  async restAfter(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.#delay(performance.now(), milliseconds)
    await this.#rest(signal)
  }

  #delay(now: number, milliseconds: number): void {
    const restMs = Math.min(milliseconds * REST_TIMES, REST_MS_MAX)
    // Rests that nobody took do not add up: without replies, only the rest of the last batch counts.
    this.#restsUntil = (this.isReplying() ? Math.max(this.#restsUntil, now) : now) + restMs
  }

  /** True while replies run, and shortly after the last one. */
  isReplying(): boolean {
    return this.#replies > 0 || performance.now() - this.#lastReplyAt < QUIET_MS
  }

  async #rest(signal: AbortSignal | undefined): Promise<void> {
    while (this.isReplying() && !signal?.aborted) {
      const leftMs = this.#restsUntil - performance.now()
      if (leftMs <= 0) return
      await sleep(Math.min(leftMs, CHECK_MS), undefined, { ref: false, ...(signal && { signal }) }).catch(
        () => {},
      )
    }
  }

  async #run(size: BatchSize, batch: Batch, signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted()
    let begun = performance.now()
    try {
      const count = await batch(size.now, () => {
        begun = performance.now()
      })
      size.measured(count, performance.now() - begun)
      return count
    } finally {
      const now = performance.now()
      this.#delay(now, now - begun)
    }
  }
}
