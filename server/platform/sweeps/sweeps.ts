import type { Logger } from 'pino'
import { asLook, asWork } from '#database/looks.ts'
import { describeWork, runWork } from '#platform/telemetry/running.ts'
import type { Activity } from './activity.ts'

/** A look for work at an interval. */
export interface Sweep<Found> {
  /** Name in logs and metrics. */
  name: string
  everyMs: number
  /** Returns the work that is due, with few statements. */
  find(): Promise<Found[]>
  /** Does the work. Called only if there is some. */
  work(found: Found[]): Promise<unknown>
  /** Log message for a failed sweep. The next one retries. */
  failure: string
}

export interface RunningSweep {
  /** Looks now, without waiting for the interval. */
  wake(): void
  /** Stops looking. Resolves when the sweep in progress has ended. */
  end(): Promise<void>
}

/**
 * Interval between the looks of an idle installation. Work that becomes due by time alone, such as a retry after five
 * minutes, starts at most this much later.
 */
const IDLE_INTERVAL_MS = 30_000

/**
 * Looks for work at intervals. If no process of the installation uses the database, a look finds nothing new, so looks
 * become rare until the next statement of any process.
 */
export class Sweeps {
  readonly #activity: Activity
  readonly #log: Logger

  constructor(activity: Activity, log: Logger) {
    this.#activity = activity
    this.#log = log
  }

  /** Looks now, and then at the interval. A look that takes longer than the interval delays the next one. */
  begin<Found>({ name, everyMs, find, work, failure }: Sweep<Found>): RunningSweep {
    let running: Promise<void> | undefined
    let isWoken = false
    let hasEnded = false
    let lookedAt = 0
    const sweep = async (): Promise<void> => {
      do {
        isWoken = false
        lookedAt = performance.now()
        const found = await asLook(find)
        if (found.length === 0) continue
        this.#activity.worked()
        await asWork(() => work(found))
      } while (isWoken)
    }
    const wake = (): void => {
      if (hasEnded) return
      isWoken = true
      running ??= runWork(describeWork(`sweep ${name}`), sweep)
        .catch((error: unknown) => this.#log.error({ err: error }, failure))
        .finally(() => {
          running = undefined
        })
    }
    const timer = setInterval(() => {
      if (!running && (!this.#activity.isIdle() || performance.now() - lookedAt >= IDLE_INTERVAL_MS)) wake()
    }, everyMs)
    wake()
    return {
      wake,
      async end() {
        clearInterval(timer)
        hasEnded = true
        isWoken = false
        await running
      },
    }
  }
}
