/**
 * Upper bound of the tokens reserved for the reply if the request has no max_tokens; otherwise a quarter of the
 * window.
 */
const REPLY_TOKENS_MAX = 8_192
/** The average in most languages. */
export const BYTES_PER_TOKEN = 4

export interface Window {
  /** Tokens of prompt and reply together. */
  contextWindow: number
  maxTokens: number | undefined
}

/** Returns how many tokens the prompt may have. */
export function promptTokensOf({ contextWindow, maxTokens }: Window): number {
  const reply = maxTokens ?? Math.min(REPLY_TOKENS_MAX, contextWindow / 4)
  return Math.max(0, contextWindow - Math.min(reply, contextWindow / 2))
}

/** Returns the approximate size of such a prompt in bytes. */
export const promptBytesOf = (window: Window): number => promptTokensOf(window) * BYTES_PER_TOKEN
