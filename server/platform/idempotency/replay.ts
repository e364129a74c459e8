import { fail } from '#errors'
import { openKept } from './kept-answer.ts'
import type { KeyedRequest, StoredRequest, StoredRequests } from './stored-requests.ts'

/** Where the effects of a request are, as its route declares it (docs/idempotency.md). */
export type Effects = 'database' | 'outside' | 'outside once'

export interface Answered {
  /** What the handler has answered, now or the first time. */
  value: unknown
  isReplayed: boolean
}

const RETRY_SECONDS = 1
/** Rows come and go between a look and a step; a deadlock with another request is tried anew. */
export const ATTEMPTS_MAX = 5

/**
 * What was answered before; null: nothing, and nobody works on it. Throws request.idempotency_reused,
 * request.in_progress, request.answer_not_kept.
 */
export function replay(
  stored: StoredRequests,
  request: KeyedRequest,
  known: StoredRequest,
  isUnderWay: boolean,
): Answered | null {
  if (known.request_hash !== request.hash) throw fail('request.idempotency_reused')
  if (known.answer !== null) return { value: openKept(stored.open(request, known.answer)), isReplayed: true }
  if (known.is_answered) throw fail('request.answer_not_kept')
  if (isUnderWay) throw inProgress()
  return null
}

export const inProgress = () => fail('request.in_progress', {}, { retryAfter: RETRY_SECONDS })
