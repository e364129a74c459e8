/** The state of a window after counting a request. */
export interface WindowCount {
  /** Requests in the window, including this one. */
  count: number
  /** Milliseconds until the window ends. */
  leftMs: number
}

/**
 * Maximum number of windows in memory, a few megabytes. When it is reached, the older half is dropped. A client with
 * that many addresses can therefore reset its own windows early, but cannot cause other clients to be refused.
 */
const WINDOWS_MAX = 100_000

interface Window {
  count: number
  endsAt: number
}

/**
 * Fixed windows of one length in this process. Each window starts with its first request. Windows are stored in two
 * generations. When the younger generation is full or one window length old, it becomes the older one, and the
 * previous older one is dropped. Expired windows thus disappear at constant cost, without a scan.
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

  /** Returns the current count of a window without counting a request. */
  look(key: string): WindowCount {
    const now = performance.now()
    const window = this.#younger.get(key) ?? this.#older.get(key)
    if (window === undefined || window.endsAt <= now) return { count: 0, leftMs: this.#windowMs }
    return { count: window.count, leftMs: window.endsAt - now }
  }

  #turn(now: number): void {
    this.#older = this.#younger
    this.#younger = new Map()
    this.#turnsAt = now + this.#windowMs
  }
}
