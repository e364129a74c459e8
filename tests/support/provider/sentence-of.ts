import { expect } from 'vitest'
import { ModelError } from '#platform/models/types.ts'

/** What a model that failed tells the user. Neither that nor what goes to the log is long, or holds the key. */
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
