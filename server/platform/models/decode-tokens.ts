/** The first number that is not a token of the encoding, apart from special tokens. */
const TOKENS_END = 100_256

/**
 * Returns the text of tokens in cl100k_base, the encoding of OpenAI's embedding models. Returns undefined if there is
 * no such text. The encoding's tables are large and are loaded on first use.
 */
export async function decodeTokens(tokens: readonly number[]): Promise<string | undefined> {
  if (!tokens.every((token) => token < TOKENS_END)) return undefined
  const { decode } = await import('gpt-tokenizer/encoding/cl100k_base')
  return decode(tokens) || undefined
}
