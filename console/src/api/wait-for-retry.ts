/**
 * Waits before something is tried again: at most `waitMs`, and no longer once the browser has a network, `early` gets
 * the event `retry`, or the signal aborts.
 */
export function waitForRetry(waitMs: number, signal: AbortSignal, early?: EventTarget): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const clock = setTimeout(go, waitMs)
    function go(): void {
      clearTimeout(clock)
      over.abort()
      resolve()
    }
    globalThis.addEventListener?.('online', go, { signal: over.signal })
    early?.addEventListener('retry', go, { signal: over.signal })
    signal.addEventListener('abort', go, { signal: over.signal })
  })
}
