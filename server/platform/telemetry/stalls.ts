import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { StallLimit } from '#platform/limits/stall-limit.ts'
import type { Metrics } from './metrics.ts'
import { fieldsOf, type Stall } from './stall-watch.ts'

const MINUTE_MS = 60_000

/** Logs and counts the stalls that the stall watch reports. */
export class Stalls {
  /** Slows the organizations that cause them. */
  readonly limit = new StallLimit()
  readonly #log: Logger
  readonly #metrics: Pick<Metrics, 'stalls'>
  /** The stalls of the last minute. At most 300, because each takes STALL_MS_MIN. */
  #recent: { at: number; ms: number }[] = []
  /** The times of the last log lines by work, whose names are in the code. */
  readonly #loggedAt = new Map<string | null, number>()

  constructor(log: Logger, metrics: Pick<Metrics, 'registry' | 'stalls'>) {
    this.#log = log
    this.#metrics = metrics
    const longest: Gauge = new Gauge({
      name: 'parley_event_loop_longest_stall_seconds',
      help: 'The longest reported stall of the event loop in the last minute in seconds, 0 if there was none',
      registers: [metrics.registry],
      collect: () => {
        this.#forget()
        longest.set(Math.max(0, ...this.#recent.map(({ ms }) => ms)) / 1_000)
      },
    })
  }

  /** Counts a stall. Logs it unless the log has named its work in the last minute. */
  report(stall: Stall): void {
    const { ms, cpuMs, work } = stall
    const now = performance.now()
    this.#forget()
    this.#recent.push({ at: now, ms })
    this.limit.count(stall)
    this.#metrics.stalls.inc({ work: work ?? 'unknown' })
    if (now - (this.#loggedAt.get(work) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return
    this.#loggedAt.set(work, now)
    this.#log.warn(
      { ms: Math.round(ms), cpu_ms: Math.round(cpuMs), ...fieldsOf(stall) },
      'the event loop was stalled',
    )
  }

  #forget(): void {
    const since = performance.now() - MINUTE_MS
    this.#recent = this.#recent.filter(({ at }) => at > since)
  }
}
