/**
 * Waits up to `waitMs` milliseconds before a retry. Resolves earlier when the browser comes online, when `early`
 * dispatches a `retry` event, or when the signal aborts.
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
    // Node has no `online` event.
    const network = globalThis as Partial<EventTarget>
    network.addEventListener?.('online', go, { signal: over.signal })
    early?.addEventListener('retry', go, { signal: over.signal })
    signal?.addEventListener('abort', go, { signal: over.signal })
  })
}
