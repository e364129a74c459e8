import { PROVIDERS, type Provider, type ToolCall } from './types.ts'

/*
 * Some providers require opaque data, mostly their encrypted reasoning, with a tool call in the next request. Other
 * providers cannot read this data. A conversation may switch providers, so the signature of a call names its
 * provider.
 */

/** Returns the signature of a tool call for a provider's opaque data. */
export const sign = (provider: Provider, words: string): string => `${provider} ${words}`

/** Returns the opaque data in the call's signature, or undefined if the signature is not from this provider. */
export function signedBy(provider: Provider, { signature }: ToolCall): string | undefined {
  const mark = `${provider} `
  return signature?.startsWith(mark) ? signature.slice(mark.length) : undefined
}

/** Returns the provider whose signature this is. Undefined for any other string. */
export const signerOf = (signature: string): Provider | undefined =>
  PROVIDERS.find((provider) => signature.startsWith(`${provider} `))
