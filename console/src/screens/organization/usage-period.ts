const DAY_MS = 86_400_000

/** Returns the first and the last day of a period that ends today (UTC), such as `2026-01-31`. */
export function periodOf(days: number, now = Date.now()): { from: string; to: string } {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) }
}

/** Returns the credits of each day in a period. The value is 0 for a day without usage. */
export function everyDay(
  { from, to }: { from: string; to: string },
  rows: readonly { day?: string | undefined; credits: number }[],
): { label: string; value: number }[] {
  const known = new Map(rows.map(({ day, credits }) => [day, credits]))
  const [first, last] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((last - first) / DAY_MS) + 1 }, (_, index) => {
    const label = dayOf(first + index * DAY_MS)
    return { label, value: known.get(label) ?? 0 }
  })
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
