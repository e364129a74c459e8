/** Maximum length of a bracketed list of numbers, in characters. Longer lists are not treated as citations. */
const LIST_CHARACTERS_MAX = 80
/** Matches a possible start of a citation at the end of the text, including a space before the bracket. */
const UNFINISHED = new RegExp(` ?(?:\\[[\\d\\s,;–-]{0,${LIST_CHARACTERS_MAX}})?$`)
const CITATION = new RegExp(`( ?)\\[([\\d\\s,;–-]{1,${LIST_CHARACTERS_MAX}})\\]`, 'g')
const RANGE = /(\d+)\s*[–-]\s*(\d+)|\d+/g

/**
 * Checks citations such as [1], [1, 3] or [2-4] in a streamed reply. Removes numbers that match no passage, and
 * records the cited passages. Leaves code unchanged. Tokens may split a citation, so a possible start of a citation
 * is buffered.
 */
export class CitationCheck {
  readonly #passages: number
  readonly #cited = new Set<number>()
  readonly #code = new CodeMarks()
  #held = ''

  constructor(passages: number) {
    this.#passages = passages
  }

  get cited(): number[] {
    return [...this.#cited].sort((a, b) => a - b)
  }

  /** Adds a token. Returns the checked text that can be shown now. */
  pass(piece: string): string {
    const text = this.#held + piece
    this.#held = UNFINISHED.exec(text)?.[0] ?? ''
    return this.#check(text.slice(0, text.length - this.#held.length))
  }

  /** Ends the reply. Returns the buffered text. */
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

/** Expands a list of numbers and ranges. A range yields at most one number above `most`. */
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
 * Tracks whether streamed text is inside code. A run of backticks opens code, and an equally long run closes it. A
 * longer run also closes a fence (CommonMark, 4.5 and 6.1).
 */
class CodeMarks {
  #run = 0
  #open = 0

  read(text: string): void {
    for (const [mark] of text.matchAll(/`|\n|[^`\n]+/g)) {
      if (mark === '`') this.#run += 1
      else this.#endRun()
      // Backticks that aren't closed on their line don't start inline code.
      if (mark === '\n' && this.#open < FENCE) this.#open = 0
    }
  }

  /** Returns whether the next character is inside code, unless that character is a backtick. */
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
