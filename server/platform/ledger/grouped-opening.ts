import { grouped } from '#database/grouped.ts'
import { retryStale, STALE } from './retry-stale.ts'

/** Maximum number of holds opened or closed in one statement. */
export const GROUP_MAX = 100
/** When this many organizations are remembered, all are forgotten. */
const LIMITED_MAX = 10_000

/**
 * Turns a statement that opens holds into a function for one hold, as `grouped` does. Most organizations have neither
 * budgets nor limits per minute, and a statement without them takes a quarter to a third less time, so it is tried first. The
 * process remembers the organizations for which it was STALE.
 *
 * @param run receives `areLimited` of `openHolds`
 */
export function groupedOpening<Hold extends { organization_id: string }, Result>(
  run: (holds: Hold[], areLimited: boolean) => Promise<(Result | typeof STALE)[]>,
): (hold: Hold) => Promise<Result> {
  const limited = new Set<string>()
  const openUnlimited = grouped((holds: Hold[]) => run(holds, false), GROUP_MAX)
  const openLimited = grouped((holds: Hold[]) => retryStale(holds, (some) => run(some, true)), GROUP_MAX)
  return async (hold) => {
    const { organization_id: organizationId } = hold
    if (!limited.has(organizationId)) {
      const result = await openUnlimited(hold)
      if (result !== STALE) return result
      if (limited.size === LIMITED_MAX) limited.clear()
      limited.add(organizationId)
    }
    return openLimited(hold)
  }
}
