/** Short enough to look fluent. Animation frames would flush more often, and stop while a tab is hidden. */
const FLUSH_MS = 50

/** Calls back at most every 50 ms, however often something changes. */
export class Throttle {
  readonly #onFlush: () => void
  #clock: ReturnType<typeof setTimeout> | undefined

  constructor(onFlush: () => void) {
    this.#onFlush = onFlush
  }

  /** Records a change. */
  schedule(): void {
    this.#clock ??= setTimeout(() => this.flush(), FLUSH_MS)
  }

  /** Calls back immediately if a change is pending. */
  flush(): void {
    if (this.#clock === undefined) return
    this.cancel()
    this.#onFlush()
  }

  /** Drops the pending change. */
  cancel(): void {
    clearTimeout(this.#clock)
    this.#clock = undefined
  }
}

/** Collects the pieces of a text and passes on the whole text at most every 50 ms. */
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

  /** Passes on the text immediately, for example at the end of a reply. */
  flush(): void {
    this.#throttle.flush()
  }

  /** Starts over with another text and passes it on. */
  reset(text = ''): void {
    this.#throttle.cancel()
    this.#text = text
    this.#onText(text)
  }

  /** Stops passing on text. */
  close(): void {
    this.#throttle.cancel()
  }
}
