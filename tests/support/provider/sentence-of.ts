import { expect } from 'vitest'
import { ModelError } from '#platform/models/types.ts'

/**
 * Returns the error message that users see when a model fails. Checks that the error message and the log message are
 * short and don't contain the API key.
 */
export async function sentenceOf(work: Promise<unknown>, apiKey: string): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ModelError)
  const { message, cause } = error as ModelError
  for (const text of [message, String(cause)]) {
    expect(text).not.toContain(apiKey)
    expect(text.length).toBeLessThan(500)
  }
  return message
}
