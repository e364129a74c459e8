/** Returns the duration of some work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** Returns the given quantile of some times. */
export const quantile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN

/** Formats quantiles as `p50 1.204 ms, p99 3.001 ms`. */
export const describeTimes = (times: number[], percents: readonly number[]): string =>
  percents.map((percent) => `p${percent} ${quantile(times, percent / 100).toFixed(3)} ms`).join(', ')
