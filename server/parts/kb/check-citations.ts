/** Longer lists of numbers in brackets are no citation. */
const LIST_CHARACTERS_MAX = 80
/** What may become a citation once more has come: its beginning, with the blank before it. */
const UNFINISHED = new RegExp(` ?(?:\\[[\\d\\s,;–-]{0,${LIST_CHARACTERS_MAX}})?$`)
const CITATION = new RegExp(`( ?)\\[([\\d\\s,;–-]{1,${LIST_CHARACTERS_MAX}})\\]`, 'g')
const RANGE = /(\d+)\s*[–-]\s*(\d+)|\d+/g

/**
 * Checks the citations of an answer, [1], [1, 3] or [2-4], against the passages that there are: numbers of none are
 * taken out, and what is cited is known. The answer may be cut anywhere; only what may be the beginning of a citation
 * waits for its end. What stands in code is code, so it is left alone.
 */
export class CitationCheck {
  readonly #passages: number
  readonly #cited = new Set<number>()
  readonly #code = new CodeMarks()
  #held = ''

  constructor(passages: number) {
    this.#passages = passages
  }

  /** The numbers of the passages that were cited, in order. */
  get cited(): number[] {
    return [...this.#cited].sort((a, b) => a - b)
  }

  /** What can be shown now. */
  pass(piece: string): string {
    const text = this.#held + piece
    this.#held = UNFINISHED.exec(text)?.[0] ?? ''
    return this.#check(text.slice(0, text.length - this.#held.length))
  }

  /** What has waited, when nothing more comes. */
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

/** Of a range no more than one number that is beyond `most`. */
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

/** Whether a text is in code, as it comes: a run of backticks begins code, and one as long ends it (CommonMark, 4.5 and 6.1). */
class CodeMarks {
  #run = 0
  #open = 0

  read(text: string): void {
    for (const [mark] of text.matchAll(/`|\n|[^`\n]+/g)) {
      if (mark === '`') this.#run += 1
      else this.#endRun()
      // Code within a line that is never closed is none.
      if (mark === '\n' && this.#open < FENCE) this.#open = 0
    }
  }

  /** Whether what follows, which is no backtick, is code. */
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
