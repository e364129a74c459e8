import { type AppError, fail, sentence } from '#errors'
import { isDiskFull } from './disk-full.ts'

/** Returns the error for a storage operation that failed. */
export const unavailable = (cause: unknown): AppError => {
  const reason = sentence(isDiskFull(cause) ? 'storage.disk_full' : 'storage.no_answer')
  return fail('server.unavailable', { reason }, { cause })
}
