import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_WAIT_MS = 500

/**
 * Retries work that must succeed despite a brief database outage. The delay doubles with each attempt. Calls `failed`
 * after each failed attempt. Returns undefined if all attempts fail. Use this only for work that a sweep completes in
 * that case.
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
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1))
    }
  }
}
