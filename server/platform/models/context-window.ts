/** Room that is kept for the reply where the request names no max_tokens: a quarter of the window, at most this. */
const REPLY_TOKENS_MAX = 8_192
/** Of text in most languages. */
export const BYTES_PER_TOKEN = 4

export interface Window {
  /** Tokens of prompt and reply together. */
  contextWindow: number
  maxTokens: number | undefined
}

/** Tokens that a prompt may have. */
export function promptTokensOf({ contextWindow, maxTokens }: Window): number {
  const reply = maxTokens ?? Math.min(REPLY_TOKENS_MAX, contextWindow / 4)
  return Math.max(0, contextWindow - Math.min(reply, contextWindow / 2))
}

/** About how many bytes that is. */
export const promptBytesOf = (window: Window): number => promptTokensOf(window) * BYTES_PER_TOKEN
