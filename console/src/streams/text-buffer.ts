/** How often what has come is shown. A frame would be too often, and comes not at all while a tab is hidden. */
const FLUSH_MS = 50

/** Collects the pieces of a text, and hands on all of it every 50 ms at most, as long as it grows. */
export class TextBuffer {
  readonly #onText: (text: string) => void
  #text = ''
  #clock: ReturnType<typeof setTimeout> | undefined

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  add(piece: string): void {
    this.#text += piece
    this.#clock ??= setTimeout(() => this.flush(), FLUSH_MS)
  }

  /** Hands on what waits, now: at the end of a reply. */
  flush(): void {
    if (this.#clock === undefined) return
    this.#stopClock()
    this.#onText(this.#text)
  }

  /** Begins anew with another text, and shows it. */
  reset(text = ''): void {
    this.#stopClock()
    this.#text = text
    this.#onText(text)
  }

  /** Shows nothing any more of what waits. */
  close(): void {
    this.#stopClock()
  }

  #stopClock(): void {
    clearTimeout(this.#clock)
    this.#clock = undefined
  }
}
