import type { StoredFailure } from '#database/schema/chat.ts'
import type { Reason } from '#errors'

/** Returns the reason for a failed reply as it is stored. */
export const storedReason = ({ message, code, values }: Reason) => ({
  error: message,
  failure: { code, values } satisfies StoredFailure,
})

/** Returns the stored reason for a failed reply as fields of its message. */
export const viewFailure = ({ error, failure }: { error: string | null; failure: StoredFailure | null }) => ({
  error,
  error_code: failure?.code ?? null,
  error_values: failure?.values ?? null,
})
