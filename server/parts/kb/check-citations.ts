/** Longer bracketed lists of numbers are not treated as citations. */
const LIST_CHARACTERS_MAX = 80
/** Matches the possible start of a citation at the end of the text, with the blank before it. */
const UNFINISHED = new RegExp(` ?(?:\\[[\\d\\s,;–-]{0,${LIST_CHARACTERS_MAX}})?$`)
const CITATION = new RegExp(`( ?)\\[([\\d\\s,;–-]{1,${LIST_CHARACTERS_MAX}})\\]`, 'g')
const RANGE = /(\d+)\s*[–-]\s*(\d+)|\d+/g

/**
 * Checks the citations in a streamed answer, such as [1], [1, 3] or [2-4]. Removes numbers that match no passage
 * and records the cited ones. The answer may be split anywhere; only a possible start of a citation is buffered.
 * Code is left unchanged.
 */
export class CitationCheck {
  readonly #passages: number
  readonly #cited = new Set<number>()
  readonly #code = new CodeMarks()
  #held = ''

  constructor(passages: number) {
    this.#passages = passages
  }

  /** Cited passage numbers in ascending order. */
  get cited(): number[] {
    return [...this.#cited].sort((a, b) => a - b)
  }

  /** Returns the text that can be shown now. */
  pass(piece: string): string {
    const text = this.#held + piece
    this.#held = UNFINISHED.exec(text)?.[0] ?? ''
    return this.#check(text.slice(0, text.length - this.#held.length))
  }

  /** Returns the buffered rest at the end of the answer. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #check(text: string): string {
    let checked = ''
    let from = 0
    for (const match of text.matchAll(CITATION)) {
      const before = text.slice(from, match.index)
      this.#code.read(before)
      const [whole, blank = '', list = ''] = match
      checked += before + (this.#code.isOpen() ? whole : this.#cite(whole, blank, list))
      from = match.index + whole.length
    }
    const rest = text.slice(from)
    this.#code.read(rest)
    return checked + rest
  }

  #cite(whole: string, blank: string, list: string): string {
    if (!/^\s*\d/.test(list)) return whole
    const numbers = numbersOf(list, this.#passages)
    const known = numbers.filter((number) => number >= 1 && number <= this.#passages)
    for (const number of known) this.#cited.add(number)
    if (known.length === numbers.length) return whole
    return known.length === 0 ? '' : `${blank}[${known.join(', ')}]`
  }
}

/** Expands a list of numbers and ranges. A range includes at most one number above `most`. */
function numbersOf(list: string, most: number): number[] {
  return [...list.matchAll(RANGE)].flatMap(([single, first, last]) => {
    if (first === undefined) return Number(single)
    const [from, to] = [Number(first), Math.min(Number(last), most + 1)]
    return from > to
      ? [from, Number(last)]
      : Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

const FENCE = 3

/**
 * Tracks whether streamed text is inside code: a run of backticks opens code, and an equally long run closes it
 * (CommonMark, 4.5 and 6.1).
 */
class CodeMarks {
  #run = 0
  #open = 0

  read(text: string): void {
    for (const [mark] of text.matchAll(/`|\n|[^`\n]+/g)) {
      if (mark === '`') this.#run += 1
      else this.#endRun()
      // Inline code that is not closed on its line is not code.
      if (mark === '\n' && this.#open < FENCE) this.#open = 0
    }
  }

  /** Returns whether the next character, if it is no backtick, is inside code. */
  isOpen(): boolean {
    this.#endRun()
    return this.#open > 0
  }

  #endRun(): void {
    if (this.#run === 0) return
    if (this.#open === 0) this.#open = this.#run
    else if (this.#run === this.#open || (this.#open >= FENCE && this.#run > this.#open)) this.#open = 0
    this.#run = 0
  }
}
