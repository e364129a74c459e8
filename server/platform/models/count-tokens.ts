import { setImmediate } from 'node:timers/promises'

/** Texts longer than this are counted in part and scaled: the tokenizer takes a second for each megabyte. */
const COUNTED_CHARACTERS_MAX = 400_000
/**
 * What is counted in one go: the time that the tokenizer takes grows with the square of a run without a gap, such as
 * a letter again and again. That tokens are cut where two pieces meet makes less than a per cent.
 */
const PIECE_CHARACTERS = 1_000
/** After so many, others have their turn. */
const TURN_CHARACTERS = 20_000

/**
 * Tokens of a text by the o200k encoding, for where a provider tells no usage, or before one is asked. Other models
 * differ by some per cent. The tables of the encoding are large, so they are loaded when first needed.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  const counted = text.slice(0, COUNTED_CHARACTERS_MAX)
  let tokens = 0
  for (let from = 0; from < counted.length; from += PIECE_CHARACTERS) {
    if (from > 0 && from % TURN_CHARACTERS === 0) await setImmediate()
    tokens += count(counted.slice(from, from + PIECE_CHARACTERS), { allowedSpecial: 'all' })
  }
  return Math.ceil((tokens * text.length) / counted.length)
}
