import { type AppError, fail, sentence } from '#errors'

/** Returns the error for a storage operation that failed. */
export const unavailable = (cause: unknown): AppError => {
  const reason = sentence('storage.no_answer')
  return fail('server.unavailable', { reason }, { cause })
}
