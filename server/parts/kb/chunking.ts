import type { Chunking } from '#database/schema/kb.ts'
import { fail } from '#errors'

export const DEFAULT_CHUNKING: Chunking = { max_tokens: 400, overlap_tokens: 50 }
const OVERLAP_SHARE_MAX = 0.25

/**
 * Merges the requested chunking into the previous one. Throws kb.chunking_invalid if the overlap exceeds its
 * maximum share of the chunk size.
 */
export function chooseChunking(
  requested: Partial<Chunking> = {},
  before: Chunking = DEFAULT_CHUNKING,
): Chunking {
  const maxTokens = requested.max_tokens ?? before.max_tokens
  const most = Math.floor(maxTokens * OVERLAP_SHARE_MAX)
  // Without a requested overlap, the overlap follows the chunk size.
  const overlapTokens = requested.overlap_tokens ?? Math.min(before.overlap_tokens, most)
  if (overlapTokens > most) throw fail('kb.chunking_invalid')
  return { max_tokens: maxTokens, overlap_tokens: overlapTokens }
}
