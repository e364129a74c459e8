import type { Provider, ToolCall } from './types.ts'

/*
 * Some providers require opaque data, mostly their encrypted reasoning, with a tool call in the next request. It is
 * meaningless to other providers. A conversation may switch models, so each signature names its provider.
 */

/** Returns a tool call's signature from a provider's opaque data. */
export const sign = (provider: Provider, words: string): string => `${provider} ${words}`

/** Returns the data that this provider signed, or undefined if another provider made the signature. */
export function signedBy(provider: Provider, { signature }: ToolCall): string | undefined {
  const mark = `${provider} `
  return signature?.startsWith(mark) ? signature.slice(mark.length) : undefined
}
