import type { Range } from './text-lines.ts'

/**
 * Minimum characters between two seams (see createTokenSums). For each range, up to this many characters at each end
 * are counted again.
 */
const STRIDE = 50
/**
 * Maximum characters between two seams whose tokens are summed. A longer stretch is counted for each range, so that
 * no single range pays for counting the whole stretch.
 */
const GAP_MAX = 4_000

/**
 * Returns a function that counts the tokens of overlapping ranges of one string, with the result of `count`
 * (`loadTokenCounter`). Text between two seams is counted once. A seam is a position that no token spans in any
 * range, so the counts before and after the seam add up exactly. Request ranges from front to back.
 */
export function createTokenSums(text: string, count: (text: string) => number): (part: Range) => number {
  // The tokenizer recognizes a special token only at the start of the counted string. Sums would be wrong for a
  // string that contains a special token.
  if (text.includes('<|')) return ({ start, end }) => count(text.slice(start, end))
  let seams = [0]
  let tokensBefore = [0]
  /** End of the text that has been searched for seams. */
  let seen = 0

  const addSeam = (at: number): void => {
    const last = seams.at(-1) as number
    if (at - last > GAP_MAX) {
      seams = [at]
      tokensBefore = [0]
      return
    }
    seams.push(at)
    tokensBefore.push((tokensBefore.at(-1) as number) + count(text.slice(last, at)))
  }

  return ({ start, end }) => {
    for (let at = Math.max(seen, (seams.at(-1) as number) + STRIDE); at <= end; at++) {
      seen = at
      if (!isSeam(text, at)) continue
      addSeam(at)
      at += STRIDE - 1
    }
    const first = lowerBound(seams, start)
    const last = lowerBound(seams, end + 1) - 1
    if (first >= last) return count(text.slice(start, end))
    const [from, until] = [seams[first] as number, seams[last] as number]
    const between = (tokensBefore[last] as number) - (tokensBefore[first] as number)
    return count(text.slice(start, from)) + between + count(text.slice(until, end))
  }
}

/**
 * Returns true if no token spans this position, by the o200k pattern. After a line break, only whitespace and slashes
 * continue a token. A space after a letter starts a new token.
 */
function isSeam(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  if (before === FEED) return /[^\s/]/.test(text.charAt(at))
  return text.charCodeAt(at) === BLANK && isLetter(before)
}

const FEED = 0x0a
const BLANK = 0x20
const CASE_BIT = 0x20

const isLetter = (code: number): boolean => (code | CASE_BIT) >= 0x61 && (code | CASE_BIT) <= 0x7a

/** Returns the index of the first number that is at least `least`. The numbers must be ascending. */
function lowerBound(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
