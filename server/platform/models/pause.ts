import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a number of milliseconds. Rejects with the signal's reason on abort. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch {
    signal.throwIfAborted()
  }
}
