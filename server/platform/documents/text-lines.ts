/** A part of a text, from `start` to before `end`, in UTF-16 code units. */
export interface Range {
  start: number
  end: number
}

/** So many lines are looked at between two moments at which the caller can pause. */
const LINES_A_STEP = 200
/** As much of a line tells what it is. */
const SCANNED_CHARACTERS_MAX = 2_000

/** Goes over a text line by line, each with its \n. */
export class Lines {
  readonly #text: string
  readonly #limit: number
  #passed = 0
  start: number
  end = 0
  isAfterBlank = false

  constructor(text: string, { start, end }: Range) {
    // What is behind is cut off, because a line without an end would be looked for there, each time.
    this.#text = text.slice(0, end)
    this.#limit = end
    this.start = start
    this.goTo(start)
  }

  get isAtEnd(): boolean {
    return this.start >= this.#limit
  }

  get length(): number {
    return this.end - this.start
  }

  get line(): string {
    return this.#text.slice(this.start, this.end)
  }

  /** As much of the line as tells what it is; whole, unless it is very long. */
  get beginning(): string {
    return this.#text.slice(this.start, Math.min(this.end, this.start + SCANNED_CHARACTERS_MAX))
  }

  get following(): string {
    const end = this.#endOf(this.end)
    return this.#text.slice(this.end, Math.min(end, this.end + SCANNED_CHARACTERS_MAX))
  }

  get isBlank(): boolean {
    return isBlank(this.#text, this)
  }

  /** Whether so many lines have passed that the caller should have a moment to pause at. */
  get isStep(): boolean {
    return this.#passed % LINES_A_STEP === 0
  }

  beginsWith(words: string): boolean {
    return this.#text.startsWith(words, this.start)
  }

  next(): void {
    this.isAfterBlank = this.isBlank
    this.#passed += 1
    this.goTo(this.end)
  }

  goTo(start: number): void {
    this.start = start
    this.end = this.#endOf(start)
  }

  *skipBlank(): Generator<null> {
    while (!this.isAtEnd && this.isBlank) {
      this.next()
      if (this.isStep) yield null
    }
  }

  #endOf(start: number): number {
    const feed = this.#text.indexOf('\n', start)
    return feed < 0 ? this.#limit : feed + 1
  }
}

/** Whether there is nothing but white space. */
export const isBlank = (text: string, { start, end }: Range): boolean => text.slice(start, end).trim() === ''
