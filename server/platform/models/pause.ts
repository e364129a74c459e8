import { setTimeout as sleep } from 'node:timers/promises'

/** Waits so many milliseconds, or rejects with the signal's reason once it is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch {
    signal.throwIfAborted()
  }
}
