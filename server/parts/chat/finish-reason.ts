import { Enum, Nullable } from '#platform/http/schemas.ts'
import { FINISH_REASONS, type FinishReason } from '#platform/models/types.ts'

/** A message's field. Users' messages have none, and neither has a reply that is not complete. */
export const FinishReasonField = Nullable(
  Enum(FINISH_REASONS, {
    description:
      'Why the model ended the reply: `length` at the limit of tokens, `content_filter` by the filter of the provider, ' +
      '`refusal` because the model declined. Null if unknown, and if the reply is in progress, was stopped or failed.',
  }),
)

/** Name of the event that tells why a reply ended. The only named event that visitors receive. */
export const FINISH = 'finish'

/**
 * Returns the named event that tells why a reply without an error ended, or none for `stop`, the reason of nearly all
 * replies. `reason` is null if the reply was stopped, or if the reason is unknown.
 */
export const finishEventOf = (
  reason: FinishReason | null,
): [name: typeof FINISH, data: { finish_reason: FinishReason | null }][] =>
  reason === 'stop' ? [] : [[FINISH, { finish_reason: reason }]]
