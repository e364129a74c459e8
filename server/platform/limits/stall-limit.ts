import { fail } from '#errors'
import type { Stall } from '#platform/telemetry/stall-watch.ts'

/** An organization is slowed if its requests and jobs stall the event loop this often and this long in a minute. */
const STALLS_MIN = 3
const STALLED_MS_MAX = 2_000
const WINDOW_MS = 60_000
/** Maximum number of requests of a slowed organization that wait for their turn, and how long. */
const WAITING_MAX = 20
const WAIT_MS_MAX = 5_000

/**
 * Slows organizations whose work stalls this process repeatedly, so that the others are served. Until the minute is over,
 * a slowed organization has one request at a time. Windows are fixed: a minute starts with its first stall.
 */
export class StallLimit {
  /** By organization. Few, because each stall takes time. */
  readonly #windows = new Map<string, Window>()

  /**
   * Counts a stall of one call. Only its processor time counts, because a busy machine is nobody's fault, and many short
   * calls in a row are load.
   */
  count({ cpuMs, organizationId, isLeftBehind, isOneCall }: Stall): void {
    if (organizationId === null || isLeftBehind || !isOneCall) return
    const now = performance.now()
    for (const [id, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(id)
    const window = this.#windows.get(organizationId) ?? new Window(now + WINDOW_MS)
    this.#windows.set(organizationId, window)
    window.stalls += 1
    window.stalledMs += cpuMs
  }

  /**
   * Waits for the turn of a request if its organization is slowed. Returns a function that ends the turn, and that may be
   * called again, or null for other requests. Throws rate.limited if too many requests wait, or if this one has waited for too long.
   */
  async enter(organizationId: string | null): Promise<(() => void) | null> {
    const window = organizationId === null ? undefined : this.#windows.get(organizationId)
    return window?.isSlow() ? window.enter() : null
  }
}

class Window {
  readonly endsAt: number
  stalls = 0
  stalledMs = 0
  #isTaken = false
  readonly #waiting = new Set<() => void>()

  constructor(endsAt: number) {
    this.endsAt = endsAt
  }

  isSlow(): boolean {
    return this.stalls >= STALLS_MIN && this.stalledMs > STALLED_MS_MAX && performance.now() < this.endsAt
  }

  async enter(): Promise<() => void> {
    if (this.#isTaken) await this.#turn()
    this.#isTaken = true
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      const [next] = this.#waiting
      if (next) next()
      else this.#isTaken = false
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.size >= WAITING_MAX) throw this.#refusal()
    return new Promise((resolve, reject) => {
      const leftMs = this.endsAt - performance.now()
      const begin = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(begin)
        resolve()
      }
      const refuse = (): void => {
        this.#waiting.delete(begin)
        reject(this.#refusal())
      }
      // A request whose minute ends while it waits is free.
      const timer = leftMs > WAIT_MS_MAX ? setTimeout(refuse, WAIT_MS_MAX) : setTimeout(() => begin(), leftMs)
      this.#waiting.add(begin)
    })
  }

  #refusal(): Error {
    const retryAfter = Math.max(1, Math.ceil((this.endsAt - performance.now()) / 1_000))
    const rate = '1 at a time while requests of this organization block the server'
    return fail('rate.limited', { rate, wait: `${retryAfter} seconds` }, { retryAfter })
  }
}
