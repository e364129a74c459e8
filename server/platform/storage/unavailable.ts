import { type AppError, fail, sentence } from '#errors'

/** What the file storage answers with when it can't do something now. */
export const unavailable = (cause: unknown): AppError => {
  const reason = sentence('storage.no_answer')
  return fail('server.unavailable', { reason }, { cause })
}
