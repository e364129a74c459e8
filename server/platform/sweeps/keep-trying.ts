import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_WAIT_MS = 500

/**
 * For what must be stored though the database is away for a moment: tries so many times, waiting twice as long each
 * time. Undefined where it stays away, which leaves the work to a sweep; each failure is told.
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
