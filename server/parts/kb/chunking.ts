import type { Chunking } from '#database/schema/kb.ts'
import { fail } from '#errors'

export const DEFAULT_CHUNKING: Chunking = { max_tokens: 400, overlap_tokens: 50 }
const OVERLAP_SHARE_MAX = 0.25

/**
 * Completes the requested chunking with the values of `before`. Throws kb.chunking_invalid if the overlap exceeds
 * `OVERLAP_SHARE_MAX` of the chunk size.
 */
export function chooseChunking(
  requested: Partial<Chunking> = {},
  before: Chunking = DEFAULT_CHUNKING,
): Chunking {
  const maxTokens = requested.max_tokens ?? before.max_tokens
  const most = Math.floor(maxTokens * OVERLAP_SHARE_MAX)
  // If no overlap is requested, a smaller chunk size reduces the previous overlap.
  const overlapTokens = requested.overlap_tokens ?? Math.min(before.overlap_tokens, most)
  if (overlapTokens > most) throw fail('kb.chunking_invalid')
  return { max_tokens: maxTokens, overlap_tokens: overlapTokens }
}
