/**
 * Waits before a retry: at most `waitMs`. It ends early when the browser has a network again, when `early` gets the
 * event `retry`, or when the signal aborts.
 */
export function waitForRetry(
  waitMs: number,
  signal?: AbortSignal | null,
  early?: EventTarget,
): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const clock = setTimeout(go, waitMs)
    function go(): void {
      clearTimeout(clock)
      over.abort()
      resolve()
    }
    // Node has no network state to listen to.
    const network = globalThis as Partial<EventTarget>
    network.addEventListener?.('online', go, { signal: over.signal })
    early?.addEventListener('retry', go, { signal: over.signal })
    signal?.addEventListener('abort', go, { signal: over.signal })
  })
}
