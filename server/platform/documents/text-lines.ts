/** A range of a string, from `start` (inclusive) to `end` (exclusive), in UTF-16 code units. */
export interface Range {
  start: number
  end: number
}

/** Number of lines between two points where the caller may pause. */
const LINES_A_STEP = 200
/** Maximum characters of a line that are examined to classify the line. */
const SCANNED_CHARACTERS_MAX = 2_000

/** Iterates over the lines of a string. Each line includes its \n. */
export class Lines {
  readonly #text: string
  readonly #limit: number
  #passed = 0
  start: number
  end = 0
  isAfterBlank = false

  constructor(text: string, { start, end }: Range) {
    // Cut at `end`. Otherwise, each search for the end of an unterminated line would scan the whole rest of the
    // string.
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

  /**
   * The start of the line, which is enough to classify the line. Equals the whole line unless the line is very long.
   */
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

  /** True if the caller may pause at this line. */
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

/** Returns true if a range contains only whitespace. */
export const isBlank = (text: string, { start, end }: Range): boolean => text.slice(start, end).trim() === ''
