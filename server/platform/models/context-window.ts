/**
 * Maximum tokens reserved for the reply if the request has no max_tokens. Small windows reserve a quarter of the
 * window instead.
 */
const REPLY_TOKENS_MAX = 8_192
/** Average bytes per token in most languages. */
export const BYTES_PER_TOKEN = 4

export interface Window {
  /** Maximum tokens of prompt and reply together. */
  contextWindow: number
  maxTokens: number | undefined
}

/** Returns the maximum number of prompt tokens. The prompt can always use at least half of the window. */
export function promptTokensOf({ contextWindow, maxTokens }: Window): number {
  const reply = maxTokens ?? Math.min(REPLY_TOKENS_MAX, contextWindow / 4)
  return Math.max(0, contextWindow - Math.min(reply, contextWindow / 2))
}

/** Returns the approximate maximum size of the prompt in bytes. */
export const promptBytesOf = (window: Window): number => promptTokensOf(window) * BYTES_PER_TOKEN
