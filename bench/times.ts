/** How long work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** The time that this share of all times does not exceed. */
export const quantile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN

/** As in `p50 1.204 ms, p99 3.001 ms`. */
export const describeTimes = (times: number[], percents: readonly number[]): string =>
  percents.map((percent) => `p${percent} ${quantile(times, percent / 100).toFixed(3)} ms`).join(', ')
