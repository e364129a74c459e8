import type { Provider, ToolCall } from './types.ts'

/*
 * What a provider wants to see again with a tool call, its thoughts mostly, is sealed by it and means nothing to
 * another one. A conversation may change its model, so a signature says whose it is.
 */

/** A provider's own words, as the signature of a tool call. */
export const sign = (provider: Provider, words: string): string => `${provider} ${words}`

/** What `sign` was given for this very provider; undefined where there is nothing of it. */
export function signedBy(provider: Provider, { signature }: ToolCall): string | undefined {
  const mark = `${provider} `
  return signature?.startsWith(mark) ? signature.slice(mark.length) : undefined
}
