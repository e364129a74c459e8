import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_WAIT_MS = 500

/**
 * Retries work that must be stored despite a short database outage, with a delay that doubles each time. Calls `failed`
 * for each failure. Returns undefined after the last attempt, which leaves the work to a sweep.
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
