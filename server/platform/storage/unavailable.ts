import { type AppError, fail } from '#errors'

/** What the file storage answers with when it can't do something now. */
export const unavailable = (cause: unknown): AppError => {
  const reason = 'The file storage does not answer as it should. Try again later.'
  return fail('server.unavailable', { reason }, { cause })
}
