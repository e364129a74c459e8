/** Returns a function that calls `work`. Concurrent callers share one call and its result. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let flight: Promise<T> | undefined
  return () => {
    flight ??= work().finally(() => {
      flight = undefined
    })
    return flight
  }
}
