import { ParleyError } from '@parley/client'
import { translator } from '../../messages/index.ts'
import { errorText } from '../../ui/error-text.ts'

const t = translator('chat')

export const isUnreachable = (error: unknown): boolean => error instanceof ParleyError && error.status === 0

/** Names of values that contain the waiting time. An error with one of these values already says when to retry. */
const TIMES = ['wait', 'seconds', 'minutes']

/** Returns why the server refused a message. Adds when to retry, unless the error's own text says so. */
export function refusalText(error: Error): string {
  if (isUnreachable(error)) return t('errors.unreachable')
  const reason = errorText(error)
  if (!(error instanceof ParleyError) || error.status !== 429 || error.retryAfterMs === null) return reason
  if (TIMES.some((name) => name in error.values)) return reason
  return t('errors.retryAfter', { reason, seconds: error.retryAfterMs / 1000 })
}
