import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_WAIT_MS = 500
/** After an outage, work continues within this time. */
const WAIT_MAX_MS = 2_000

/**
 * Retries work that must succeed despite a brief database outage. The delay doubles with each attempt, up to
 * two seconds. Calls `failed` after each failed attempt. Returns undefined if all attempts fail. Use this only for work
 * that a sweep completes in that case.
 */
export async function keepTrying<Result>(
  attempts: number,
  work: () => Promise<Result>,
  failed: (error: unknown, attempt: number) => void,
): Promise<Result | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      failed(error, attempt)
      if (attempt === attempts) return undefined
      await sleep(Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), WAIT_MAX_MS))
    }
  }
}

/**
 * Starts work that retries, and waits for its end or its first failed attempt, so that a response is not delayed any
 * longer. After a failure, the work continues in the background.
 *
 * @param work calls `failed` after each failed attempt, and never rejects
 */
export async function untilFirstFailure(work: (failed: () => void) => Promise<unknown>): Promise<void> {
  const failure = Promise.withResolvers<void>()
  await Promise.race([work(failure.resolve), failure.promise])
}
