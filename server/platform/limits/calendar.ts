/* Limits, budgets and usage count days and months in UTC. */

export const DAY_MS = 86_400_000

export const secondsToMidnight = (): number => Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000)

export const secondsToNextMinute = (): number => Math.ceil((60_000 - (Date.now() % 60_000)) / 1000)

/** Returns the UTC date in the form `2026-01-31`. */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)

/** The first day of the current month and of the next month. */
export const thisMonth = (): string => firstDay(0)
export const nextMonth = (): string => firstDay(1)

function firstDay(monthsLater: number): string {
  const now = new Date()
  return dateOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater, 1))
}
