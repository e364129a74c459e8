import { setTimeout as sleep } from 'node:timers/promises'

/** Waits this many milliseconds. Rejects with the signal's reason if it aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch {
    signal.throwIfAborted()
  }
}
