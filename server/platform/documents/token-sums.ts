import type { Range } from './text-lines.ts'

/** Characters between two seams, at least: so much at each end of a part is counted again for each part. */
const STRIDE = 50
/** So much without a seam is left to be counted part by part, so that no part has to wait for all of it. */
const GAP_MAX = 4_000

/**
 * Tokens of parts of one text, as `count` counts them (`loadTokenCounter`), for parts that share much of what they say:
 * what is between two seams is counted once. A seam is a place that no token goes over, whatever part it stands in, so
 * that the counts of both sides add up exactly. Parts are to be asked for from front to back.
 */
export function createTokenSums(text: string, count: (text: string) => number): (part: Range) => number {
  // Special tokens are told only at the beginning of what is counted.
  if (text.includes('<|')) return ({ start, end }) => count(text.slice(start, end))
  let seams = [0]
  let tokensBefore = [0]
  /** Up to where seams were looked for. */
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
 * Whether no token goes over a place, by the pattern of o200k: after a line's end only more blanks or slashes belong to
 * a token that began before, and a blank after a letter begins one.
 */
function isSeam(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  if (before === FEED) return /[^\s/]/.test(text.charAt(at))
  return text.charCodeAt(at) === BLANK && isLetter(before)
}

const FEED = 0x0a
const BLANK = 0x20
const CASE_BIT = 0x20

/** Of ASCII. */
const isLetter = (code: number): boolean => (code | CASE_BIT) >= 0x61 && (code | CASE_BIT) <= 0x7a

/** The place of the first of ascending numbers that is not below. */
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
