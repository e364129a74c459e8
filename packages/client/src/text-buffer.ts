/**
 * Time between two updates, short enough for text to appear smoothly. Animation frames would update more often, and not
 * at all in a hidden tab.
 */
const FLUSH_MS = 50
/** The longest time between two updates on a slow device. */
const FLUSH_MS_MAX = 250
const WAIT_PER_PAINT = 1.5

/** Calls back before the next paint. Missing in Node. */
const { requestAnimationFrame: beforePaint } = globalThis as {
  requestAnimationFrame?: (callback: () => void) => number
}

/**
 * Limits a callback to one call per 50 ms. In a page, also waits 1.5 times as long as the page took to paint the
 * previous call, so that updates take at most 40 % of a slow device's time.
 */
export class Throttle {
  readonly #onFlush: () => void
  #clock: ReturnType<typeof setTimeout> | undefined
  #waitMs = 0

  constructor(onFlush: () => void) {
    this.#onFlush = onFlush
  }

  /** Schedules a call, unless a call is already scheduled. */
  schedule(): void {
    this.#clock ??= setTimeout(() => this.flush(), Math.max(FLUSH_MS, this.#waitMs))
  }

  /** Calls back immediately if a call is scheduled. */
  flush(): void {
    if (this.#clock === undefined) return
    this.cancel()
    const begin = performance.now()
    this.#onFlush()
    beforePaint?.(() =>
      setTimeout(() => {
        this.#waitMs = Math.min((performance.now() - begin) * WAIT_PER_PAINT, FLUSH_MS_MAX)
      }),
    )
  }

  cancel(): void {
    clearTimeout(this.#clock)
    this.#clock = undefined
  }
}

/** Concatenates the pieces of a streamed text. Passes the whole text to a callback at most every 50 ms (Throttle). */
export class TextBuffer {
  readonly #onText: (text: string) => void
  readonly #throttle = new Throttle(() => this.#onText(this.#text))
  #text = ''

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  add(piece: string): void {
    this.#text += piece
    this.#throttle.schedule()
  }

  /** Calls back immediately if the text has changed since the last call, for example at the end of a reply. */
  flush(): void {
    this.#throttle.flush()
  }

  /** Replaces the text and calls back immediately. */
  reset(text = ''): void {
    this.#throttle.cancel()
    this.#text = text
    this.#onText(text)
  }

  /** Cancels the scheduled call, for example because the reader is gone. */
  close(): void {
    this.#throttle.cancel()
  }
}
