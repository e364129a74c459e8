/** Texts longer than this are counted in part and scaled: the tokenizer takes a second for each few megabytes. */
const COUNTED_CHARACTERS_MAX = 400_000

/**
 * Tokens of a text by the o200k encoding, for where a provider tells no usage, or before one is asked. Other models
 * differ by some per cent. The tables of the encoding are large, so they are loaded when first needed.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  const counted = text.slice(0, COUNTED_CHARACTERS_MAX)
  return Math.ceil((count(counted, { allowedSpecial: 'all' }) * text.length) / counted.length)
}
