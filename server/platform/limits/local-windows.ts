/** What a window holds after a request was counted in it. */
export interface WindowCount {
  /** With this request. */
  count: number
  /** Until the window ends. */
  leftMs: number
}

/**
 * So many windows are kept, some megabytes. Where there would be more, the older half is forgotten, so whoever has this
 * many addresses can get windows of his back a little early, and nobody else is refused for it.
 */
const WINDOWS_MAX = 100_000

interface Window {
  count: number
  endsAt: number
}

/**
 * Fixed windows of one length in this process: each begins with its first request. They are kept by halves: when the
 * younger one is full, or as old as a window is long, it becomes the older one, and that one is forgotten. So what has
 * ended goes without being looked for, at a cost that does not grow with how many there are.
 */
export class LocalWindows {
  readonly #windowMs: number
  readonly #halfMax: number
  #younger = new Map<string, Window>()
  #older = new Map<string, Window>()
  #turnsAt = 0

  constructor(windowMs: number, max = WINDOWS_MAX) {
    this.#windowMs = windowMs
    this.#halfMax = max / 2
  }

  take(key: string): WindowCount {
    const now = performance.now()
    if (now >= this.#turnsAt) this.#turn(now)
    let window = this.#younger.get(key) ?? this.#older.get(key)
    if (window === undefined || window.endsAt <= now) {
      if (this.#younger.size >= this.#halfMax) this.#turn(now)
      window = { count: 0, endsAt: now + this.#windowMs }
      this.#younger.set(key, window)
    }
    window.count += 1
    return { count: window.count, leftMs: window.endsAt - now }
  }

  #turn(now: number): void {
    this.#older = this.#younger
    this.#younger = new Map()
    this.#turnsAt = now + this.#windowMs
  }
}
