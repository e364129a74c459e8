import { setImmediate } from 'node:timers/promises'

/** Texts longer than this are counted in part and scaled: the tokenizer takes a second for each megabyte. */
const COUNTED_CHARACTERS_MAX = 400_000
/** After so many, others have their turn. That tokens are cut where two pieces meet makes less than a per cent. */
const TURN_CHARACTERS = 20_000
/** The tokenizer takes quadratic time for a run of letters, of signs or of blanks: longer ones are counted in pieces. */
const RUN_CHARACTERS_MAX = 32
const LONG_RUN = new RegExp(
  ['[\\p{L}\\p{M}]', '[^\\s\\p{L}\\p{N}]', '\\s']
    .map((sign) => `${sign}{${RUN_CHARACTERS_MAX + 1},}`)
    .join('|'),
  'gu',
)

/**
 * Tokens of a text by the o200k encoding, for where a provider tells no usage, or before one is asked. Other models
 * differ by some per cent. The tables of the encoding are large, so they are loaded when first needed.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const count = await loadTokenCounter()
  const counted = text.slice(0, COUNTED_CHARACTERS_MAX)
  let tokens = 0
  for (let from = 0; from < counted.length; from += TURN_CHARACTERS) {
    if (from > 0) await setImmediate()
    tokens += count(counted.slice(from, from + TURN_CHARACTERS))
  }
  return Math.ceil((tokens * text.length) / counted.length)
}

/** The same count for many short texts: it takes a millisecond for each few thousand characters, whatever they are. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const count = (text: string): number => countTokens(text, { allowedSpecial: 'all' })
  return (text) => {
    if (text.length <= RUN_CHARACTERS_MAX) return count(text)
    let tokens = 0
    let counted = 0
    for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
      if (index > counted) tokens += count(text.slice(counted, index))
      for (let start = 0; start < run.length; start += RUN_CHARACTERS_MAX)
        tokens += count(run.slice(start, start + RUN_CHARACTERS_MAX))
      counted = index + run.length
    }
    return tokens + (counted < text.length ? count(text.slice(counted)) : 0)
  }
}
